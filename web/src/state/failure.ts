/** What went wrong, in the form the page shows: a kind that has a sentence in every language, and the core's message. */
import type { ErrorKind } from '$client/api';

export interface Failure {
  kind: ErrorKind;
  /** English; may be empty. */
  message: string;
  hint: string;
  /** The file it is about, when it is about one. */
  file?: string;
  /** A sentence in the reader's language that fits better than the kind's. */
  sentence?: string;
}

const KINDS: readonly ErrorKind[] = [
  'io', 'format', 'unsupported', 'config', 'shape', 'tokenizer', 'range', 'cancelled', 'internal', 'environment', 'worker', 'memory', 'download',
];

/** Anything that was thrown. What is not one of the client's errors is "internal". */
export function failureOf(thrown: unknown): Failure {
  const found = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as Partial<Record<'kind' | 'hint' | 'file' | 'sentence', unknown>>;
  const { kind, hint, file, sentence } = found;
  return {
    kind: KINDS.find((item) => item === kind) ?? 'internal',
    message: thrown instanceof Error ? thrown.message : String(thrown),
    hint: typeof hint === 'string' ? hint : '',
    ...(typeof file === 'string' && file !== '' && { file }),
    ...(typeof sentence === 'string' && { sentence }),
  };
}

/** A stop that the reader asked for is not a failure. */
export const wasCancelled = (thrown: unknown): boolean => failureOf(thrown).kind === 'cancelled';
