import type ko from '../ko/topp';
import type { Messages } from '../types';

const zh: Messages<typeof ko> = {
  question: '留下几个候选？',
  margin: '把概率从高到低排好，逐个相加。和超过 p 就在那里切断。',
  conclusion: 'top-p 不规定个数。它规定概率的份额，留下几个由那个位置的分布决定。',
};
export default zh;
