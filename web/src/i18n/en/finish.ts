import type ko from '../ko/finish';
import type { Messages } from '../types';

const en: Messages<typeof ko> = {
  question: 'Were your guesses right?',
  margin: 'The grader’s own checks, run on the results of this page. The files are what mm-native lab writes, byte for byte.',
};
export default en;
