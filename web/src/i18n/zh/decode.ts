import type ko from '../ko/decode';
import type { Messages } from '../types';

const zh: Messages<typeof ko> = { question: '', margin: '' };
export default zh;
