/** What the reader guessed of the experiments, kept like the guesses of Predict. Pure but for the storage given. */
export type Guess = 'same' | 'differs';
export type Guesses = Readonly<Record<string, Guess>>;

export const GUESSES_KEY = 'minimind-lab-why';

/** Anything else than names with one of the two guesses counts as none. */
export function readGuesses(stored: string | null): Guesses {
  try {
    const found: unknown = JSON.parse(stored ?? '{}');
    if (typeof found !== 'object' || found === null) return {};
    return Object.fromEntries(Object.entries(found).filter(([, guess]) => guess === 'same' || guess === 'differs')) as Guesses;
  } catch {
    return {};
  }
}

/** Whether a guess was right: the tokens are what is guessed. */
export const guessedRight = (guess: Guess, firstDifference: number | null): boolean => (guess === 'differs') === (firstDifference !== null);

/** "window-8-pinned-4" → the name of its text and its numbers. */
export function experimentText(name: string): { key: string; n: string; m: string } {
  const numbers = name.match(/\d+/g) ?? [];
  const key = name === 'position-0' || name === 'float16' || name === 'int8' ? name : name.replace(/-?\d+/g, '');
  return { key: key.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()), n: numbers[0] ?? '', m: numbers[1] ?? '' };
}

/** What to type to get the same table from the terminal. */
export const commandOf = (names: readonly string[], prompt: string): string =>
  `mm-native why --prompt '${prompt.replaceAll("'", "'\\''")}' --experiments ${names.join(',')}`;
