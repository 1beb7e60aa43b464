import type ko from '../ko/timing';
import type { Messages } from '../types';

const zh: Messages<typeof ko> = {
  question: '词元少了多少，时间就少多少吗？',
  margin: '每个数字都标明了来处。',
  conclusion: '时间并不按词元减少的倍数减少。一个一个送入的词元，单个更贵。',
};
export default zh;
