/** The one error class of the client, and how it crosses from the worker to the page. */
import type { ErrorKind, MiniMindErrorLike } from './api.ts';

/** An error as a message between threads: a class does not survive a structured clone. */
export interface PlainError {
  kind: ErrorKind;
  message: string;
  hint: string;
  file: string;
}

export class MiniMindError extends Error implements MiniMindErrorLike {
  readonly kind: ErrorKind;
  readonly hint: string;
  readonly file: string;

  constructor(kind: ErrorKind, message: string, hint = '', file = '') {
    super(message);
    this.name = 'MiniMindError';
    this.kind = kind;
    this.hint = hint;
    this.file = file;
  }
}

export function toPlain(error: unknown): PlainError {
  if (error instanceof MiniMindError) return { kind: error.kind, message: error.message, hint: error.hint, file: error.file };
  return { kind: 'internal', message: error instanceof Error ? error.message : String(error), hint: '', file: '' };
}

export const fromPlain = ({ kind, message, hint, file }: PlainError): MiniMindError => new MiniMindError(kind, message, hint, file);

export const cancelled = (): MiniMindError => new MiniMindError('cancelled', 'stopped on request');
