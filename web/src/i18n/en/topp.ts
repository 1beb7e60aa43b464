import type ko from '../ko/topp';
import type { Messages } from '../types';

const en: Messages<typeof ko> = {
  question: 'How many candidates stay?',
  margin: 'Line them up from the most likely down and add. Where the sum exceeds p, cut.',
  conclusion: 'Top-p does not set a number. It sets a share of the probability; how many stay is up to the distribution at that place.',
};
export default en;
