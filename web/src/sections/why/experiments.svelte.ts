/**
 * The experiments: what was guessed and what came out. Results belong to one prompt and model, as in the module, which
 * forgets the ones of the prompt before once one of another is run.
 */
import type { Experiment } from '$client/api';
import { decode } from '../../state/decode.svelte';
import { lab } from '../../state/lab.svelte';
import { GUESSES_KEY, guessedRight, readGuesses, type Guess, type Guesses } from './guesses';

type Results = Readonly<Record<string, Experiment>>;

function remembered(): Guesses {
  try {
    return readGuesses(localStorage.getItem(GUESSES_KEY));
  } catch {
    return {};
  }
}

class Experiments {
  guesses: Guesses = $state.raw(remembered());
  #kept: { subject: string; results: Results } = $state.raw({ subject: '', results: {} });

  /** What they are made on. */
  get subject(): string {
    return JSON.stringify([lab.epoch, decode.prompt]);
  }
  get results(): Results {
    return this.#kept.subject === this.subject ? this.#kept.results : {};
  }
  /** By the order in which they were run. */
  get names(): string[] {
    return Object.keys(this.results);
  }
  keep(subject: string, result: Experiment): void {
    const before = this.#kept.subject === subject ? this.#kept.results : {};
    this.#kept = { subject, results: { ...before, [result.name]: result } };
  }

  /** The first guess counts; once the result was seen there is none. */
  guess(name: string, guess: Guess): void {
    if (this.guesses[name] || this.results[name]) return;
    this.#remember({ ...this.guesses, [name]: guess });
  }
  forgetGuesses(): void {
    this.#remember({});
  }
  /** Of the experiments that were both guessed and run. */
  get score(): { right: number; of: number } {
    const both = Object.values(this.results).flatMap(({ name, firstDifference }) => {
      const guess = this.guesses[name];
      return guess ? [guessedRight(guess, firstDifference)] : [];
    });
    return { of: both.length, right: both.filter(Boolean).length };
  }

  #remember(guesses: Guesses): void {
    this.guesses = guesses;
    try {
      localStorage.setItem(GUESSES_KEY, JSON.stringify(guesses));
    } catch {
      // Without storage a reload asks again.
    }
  }
}

export const experiments = new Experiments();
