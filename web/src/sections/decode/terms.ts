/** The formulas of the tokens fed so far, with the live numbers under their symbols. */
import type { Term } from '../../components/Formula.svelte';
import { fill } from '../../i18n/fill';

const sign = (text: string): Term => ({ kind: 'sign', text });

interface Words {
  promptLength: string;
  steps: string;
  aboutPrompt: string;
  aboutSteps: string;
}

/** P + (n − 1) with the cache, n·P + n(n − 1)/2 without. */
export function fedTerms(P: string, n: string, words: Words): Record<'withCache' | 'withoutCache', Term[]> {
  const prompt: Term = { kind: 'symbol', text: 'P', value: P, name: words.promptLength, says: fill(words.aboutPrompt, { n: P }) };
  const again: Term = { kind: 'symbol', text: 'n', value: n, says: fill(words.aboutSteps, { n }) };
  const steps: Term = { ...again, name: words.steps };
  return {
    withCache: [prompt, sign('+ ('), steps, sign('− 1)')],
    withoutCache: [steps, sign('×'), prompt, sign('+'), again, sign('('), again, sign('− 1) / 2')],
  };
}
