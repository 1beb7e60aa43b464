/** The formulas of the tokens fed so far, with the live numbers under their symbols. */
import type { Term } from '../../components/Formula.svelte';

const sign = (text: string): Term => ({ kind: 'sign', text });

/** P + (n − 1) with the cache, n·P + n(n − 1)/2 without. */
export function fedTerms(P: string, n: string, name: { promptLength: string; steps: string }): Record<'withCache' | 'withoutCache', Term[]> {
  const prompt: Term = { kind: 'symbol', text: 'P', value: P, name: name.promptLength };
  const steps: Term = { kind: 'symbol', text: 'n', value: n, name: name.steps };
  const again: Term = { kind: 'symbol', text: 'n', value: n };
  return {
    withCache: [prompt, sign('+ ('), steps, sign('− 1)')],
    withoutCache: [steps, sign('×'), prompt, sign('+'), again, sign('('), again, sign('− 1) / 2')],
  };
}
