/**
 * The native twin, when it is what serves this page (`mm-native serve`): it can be asked to measure. It answers on
 * this machine only, so a page from anywhere else does not even ask.
 */
const LOCAL = ['127.0.0.1', 'localhost'];

export async function servedNatively(): Promise<boolean> {
  if (!LOCAL.includes(location.hostname) || !navigator.onLine) return false;
  try {
    const answer = await fetch(location.pathname, { method: 'HEAD', cache: 'no-store' });
    return answer.headers.get('server') === 'mm-native';
  } catch {
    return false;
  }
}

export type NativeProblem = 'busy' | 'gone';
export class NativeError extends Error {
  readonly problem: NativeProblem;
  /** What the reader is told. */
  sentence?: string;
  constructor(problem: NativeProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** The text of a bench.json, measured now. @throws NativeError */
export async function measureNatively(signal: AbortSignal): Promise<Uint8Array> {
  let answer: Response;
  try {
    answer = await fetch(new URL('/native/timing', location.href), { method: 'POST', signal });
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    throw new NativeError('gone', String(thrown));
  }
  if (answer.status === 429) throw new NativeError('busy', 'status 429');
  if (!answer.ok) throw new NativeError('gone', `status ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}
