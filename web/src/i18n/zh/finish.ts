import type ko from '../ko/finish';
import type { Messages } from '../types';

const zh: Messages<typeof ko> = {
  question: '猜对了吗？',
  margin: '用评分器的检查来检验这个页面的结果。文件与 mm-native lab 写出的逐字相同。',
};
export default zh;
