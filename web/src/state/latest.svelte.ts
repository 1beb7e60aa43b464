/**
 * One question asked again and again while a slider moves: at most one is out, and of those asked meanwhile only the
 * newest follows. The answer to an older question never replaces that of a newer one.
 */
import { failureOf, wasCancelled, type Failure } from './failure';

export class Latest<Answer> {
  value: Answer | null = $state.raw(null);
  failure: Failure | null = $state.raw(null);

  #asking = false;
  #next: (() => Promise<Answer>) | null = null;
  #generation = 0;

  ask(question: () => Promise<Answer>): void {
    this.#next = question;
    if (!this.#asking) void this.#run();
  }

  /** The answer belongs to something that is gone: another model, another prompt. */
  forget(): void {
    this.#generation += 1;
    this.#next = null;
    this.value = null;
    this.failure = null;
  }

  async #run(): Promise<void> {
    this.#asking = true;
    while (this.#next) {
      const question = this.#next;
      this.#next = null;
      const generation = this.#generation;
      try {
        const answer = await question();
        if (generation === this.#generation) {
          this.value = answer;
          this.failure = null;
        }
      } catch (thrown) {
        if (generation === this.#generation && !wasCancelled(thrown)) this.failure = failureOf(thrown);
      }
    }
    this.#asking = false;
  }
}
