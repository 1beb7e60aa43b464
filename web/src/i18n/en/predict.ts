import type ko from '../ko/predict';
import type { Messages } from '../types';

const en: Messages<typeof ko> = {
  question: 'First, a guess',
  margin: 'Answers are locked and come back at the end, beside what was measured.',
  skip: 'Skip',
  resume: 'Guess after all',
  skipped: 'Skipped. Finish will show the measured values only.',
  locked: 'Locked · compared in Finish',
  progress: '{n}/3',
  same: 'Will the cache change the chosen tokens?',
  sameSame: 'No',
  sameSometimes: 'Sometimes',
  sameDifferent: 'Yes',
  bytes: 'How many bytes does it take to remember 100 tokens?',
  speedup: 'After the lab’s prompt of 201 tokens: how many times faster do 64 new tokens come with the cache, on this machine?',
  closed: 'closed: the answer has been shown',
};
export default en;
