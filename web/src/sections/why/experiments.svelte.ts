/** The experiments of one prompt: what was guessed and what came out. Thrown away with the prompt or the model. */
import type { Experiment } from '$client/api';
import { GUESSES_KEY, guessedRight, readGuesses, type Guess, type Guesses } from './guesses';

function remembered(): Guesses {
  try {
    return readGuesses(localStorage.getItem(GUESSES_KEY));
  } catch {
    return {};
  }
}

class Experiments {
  guesses: Guesses = $state.raw(remembered());
  results: Readonly<Record<string, Experiment>> = $state.raw({});

  guess(name: string, guess: Guess): void {
    // The first guess counts; once the result was seen there is none.
    if (this.guesses[name] || this.results[name]) return;
    this.guesses = { ...this.guesses, [name]: guess };
    try {
      localStorage.setItem(GUESSES_KEY, JSON.stringify(this.guesses));
    } catch {
      // Without storage a reload asks again.
    }
  }
  keep(result: Experiment): void {
    this.results = { ...this.results, [result.name]: result };
  }
  forget(): void {
    this.results = {};
  }
  /** Of the experiments that were both guessed and run. */
  get score(): { right: number; of: number } {
    const both = Object.values(this.results).filter(({ name }) => this.guesses[name]);
    return { of: both.length, right: both.filter(({ name, firstDifference }) => guessedRight(this.guesses[name] ?? 'same', firstDifference)).length };
  }
}

export const experiments = new Experiments();
