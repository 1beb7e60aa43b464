/** The lab's question asked thirty times under each of some conditions, one after another, by the SFT model. */
import type { Answers } from '$client/api';
import { lab } from '../../state/lab.svelte';
import { LongCall } from '../../state/long.svelte';
import { results } from '../../state/results.svelte';
import { answersKey, type Conditions } from './temperatures';

export const answersOf = (conditions: Conditions): Answers | undefined => results.answers[answersKey(conditions)];

/** Make it while a component is set up. */
export class Asking {
  readonly call = new LongCall();
  /** What is asked under just now; null while the SFT model is loaded. */
  now: Conditions | null = $state.raw(null);

  /** Answers that are there already are not asked for anew. */
  start(list: readonly Conditions[]): Promise<void> {
    const todo = list.filter((one) => !answersOf(one));
    this.now = null;
    return this.call.start(
      async (client, run) => {
        await lab.sft(run);
        for (const [done, conditions] of todo.entries()) {
          this.now = conditions;
          const onProgress = ({ fraction }: { fraction: number }) => (this.call.fraction = (done + fraction) / todo.length);
          onProgress({ fraction: 0 });
          const answers = await client.answers(conditions, { ...run, onProgress });
          if (run.signal.aborted) return;
          results.answers = { ...results.answers, [answersKey(conditions)]: answers };
        }
      },
      () => undefined,
    );
  }
}
