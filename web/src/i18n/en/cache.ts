import type ko from '../ko/cache';
import type { Messages } from '../types';

const en: Messages<typeof ko> = { question: '', margin: '' };
export default en;
