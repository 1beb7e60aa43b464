import type ko from '../ko/terms';
import type { Messages } from '../types';

const en: Messages<typeof ko> = {
  k: 'K (key) is the vector by which a token says what it is. Later tokens compare with it to decide how much to look at it.',
  v: 'V (value) is what a token hands over. The more a later token looks at it, the more of it that token takes.',
  q: 'Q (query) is the vector with which the current token looks back. It is used once, so the cache does not keep it.',
  forward: 'forward is one pass of tokens through the model; it gives the logits of the next token.',
  logit: 'A logit is the score the model gives a token of the vocabulary; softmax makes probabilities of them.',
  sft: 'SFT is supervised fine-tuning: after pretraining the model was taught with questions and answers, so it can answer.',
  seed: 'A seed is where random numbers start. The same seed gives the same numbers, so a draw can be repeated.',
  entropy: 'Entropy measures in bits how open the choice is. At 0 there is only one.',
  repeatkv: 'repeat_kv copies the KV heads until there are as many as heads. The cache keeps only what was there before.',
  mask: 'The causal mask hides later tokens: a token sees only itself and those before it.',
};
export default en;
