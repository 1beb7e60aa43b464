/** What the reader guessed before anything ran. Locked once given; Finish puts the measured values beside it. */
import { BYTE_GUESSES, SPEEDUP_GUESSES, noPredictions, readPredictions, type Predictions, type SameGuess } from './predictions';

const KEY = 'minimind-lab-predictions';

function remembered(): Predictions {
  try {
    return readPredictions(localStorage.getItem(KEY));
  } catch {
    return noPredictions();
  }
}

export const predictions: Predictions = $state(remembered());

function keep(): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(predictions));
  } catch {
    // Without storage a reload asks again.
  }
}

export function guess(answer: { same: SameGuess } | { bytes: number } | { speedup: number }): void {
  if ('same' in answer) predictions.same ??= answer.same;
  else if ('bytes' in answer) predictions.bytes ??= answer.bytes;
  else predictions.speedup ??= answer.speedup;
  keep();
}
export function skipPredictions(skipped = true): void {
  predictions.skipped = skipped;
  keep();
}
export function forgetPredictions(): void {
  Object.assign(predictions, noPredictions());
  keep();
}
export { BYTE_GUESSES, SPEEDUP_GUESSES };
