/** The one error class of the client, and how it crosses from the worker to the page. */
import type { ErrorKind, MiniMindErrorLike } from './api.ts';

export class MiniMindError extends Error implements MiniMindErrorLike {
  readonly kind: ErrorKind;
  readonly hint: string;

  constructor(kind: ErrorKind, message: string, hint = '') {
    super(message);
    this.name = 'MiniMindError';
    this.kind = kind;
    this.hint = hint;
  }
}

/** An error as a message between threads: a class does not survive a structured clone. */
export interface PlainError {
  kind: ErrorKind;
  message: string;
  hint: string;
}

export function toPlain(error: unknown): PlainError {
  if (error instanceof MiniMindError) return { kind: error.kind, message: error.message, hint: error.hint };
  return { kind: 'internal', message: error instanceof Error ? error.message : String(error), hint: '' };
}

export function fromPlain(error: PlainError): MiniMindError {
  return new MiniMindError(error.kind, error.message, error.hint);
}

export const cancelled = (): MiniMindError => new MiniMindError('cancelled', 'stopped on request');
