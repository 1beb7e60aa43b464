import type ko from '../ko/predict';
import type { Messages } from '../types';

const zh: Messages<typeof ko> = {
  question: '先猜一猜',
  margin: '答案会锁起来，最后与测得的值并排出现。',
  skip: '跳过',
  resume: '重新来猜',
  skipped: '已跳过。收尾时只看测得的值。',
  locked: '已锁定 · 收尾时对答案',
  progress: '{n}/3',
  same: '打开缓存，模型选出的词元会变吗？',
  sameSame: '不会，完全一样',
  sameSometimes: '偶尔会变',
  sameDifferent: '会变',
  bytes: '记住 100 个词元要用多少字节？',
  speedup: '在实验的 201 个词元的提示之后生成 64 个词元，这台机器上有缓存会快几倍？',
  closed: '答案已经出现，不能再猜',
};
export default zh;
