import type ko from '../ko/timing';
import type { Messages } from '../types';

const en: Messages<typeof ko> = {
  question: 'Does time shrink as the tokens do?',
  margin: 'Every number says where it comes from.',
  conclusion: 'Time does not shrink by as much as the tokens fed. Tokens fed one at a time cost more each.',
};
export default en;
