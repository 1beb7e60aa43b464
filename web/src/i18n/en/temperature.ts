import type ko from '../ko/temperature';
import type { Messages } from '../types';

const en: Messages<typeof ko> = {
  question: 'What changes when the temperature rises?',
  margin: 'From here on it is not about the cache but about **drawing**. The cache makes the same result cheaper; drawing decides which result comes.',
  conclusion: 'Temperature does not change the ranking. The higher it is, the more it flattens the differences, until rare tokens are drawn too. It has nothing to do with the cache.',
};
export default en;
