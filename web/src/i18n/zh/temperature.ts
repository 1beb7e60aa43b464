import type ko from '../ko/temperature';
import type { Messages } from '../types';

const zh: Messages<typeof ko> = {
  question: '升高温度，会有什么不同？',
  margin: '从这里起不再讲缓存，而是讲**抽样**。缓存让同样的结果更便宜，抽样决定出现哪个结果。',
  conclusion: '温度不改变排名。温度越高，差距压得越小，罕见的词元也会被抽中。这与缓存毫无关系。',
};
export default zh;
