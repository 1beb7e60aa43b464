import type ko from '../ko/terms';
import type { Messages } from '../types';

const zh: Messages<typeof ko> = {
  k: 'K（键）是每个词元亮出来的向量，表示“我是怎样的词元”。后面的词元拿它来比，决定看它多少。',
  v: 'V（值）是词元交出来的内容。后面的词元看多少，就取多少。',
  q: 'Q（查询）是当前词元往前看时用的向量。用一次就丢，不留在缓存里。',
  forward: 'forward 是让词元通过模型一次、算出下一个词元 logit 的计算。',
  logit: 'logit 是模型给词表里每个词元打的分，经过 softmax 就成为概率。',
  sft: 'SFT 是在预训练之后，再用问答样例教出来的模型，所以会回答问题。',
  seed: '种子是随机数的起点。种子相同，随机数就相同，抽样可以原样重来。',
  entropy: '熵用比特衡量选择有多不确定。0 表示只有一个选择。',
  repeatkv: 'repeat_kv 把 KV 头复制到与头数一样多。缓存里只存复制之前的。',
  mask: '因果掩码遮住后面的词元，让每个词元只能往前看。',
};
export default zh;
