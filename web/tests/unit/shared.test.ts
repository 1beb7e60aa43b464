import { describe, expect, it } from 'vitest';
import { Shared, type Wait } from '../../src/state/shared';

/** Work that is finished by hand, and knows whether it was ended. */
function work() {
  const begun: { run: Required<Wait>; give: (value: string) => void; fail: (error: Error) => void }[] = [];
  const shared = new Shared<string>(
    (run) =>
      new Promise((give, fail) => {
        begun.push({ run, give, fail });
        run.signal.addEventListener('abort', () => fail(new Error('ended')));
      }),
  );
  return { shared, begun };
}
const outcome = (promise: Promise<string>) => promise.catch((thrown: unknown) => (thrown instanceof Error ? thrown.name : String(thrown)));

describe('Shared', () => {
  it('is begun once for all who wait, and tells all of them how far it is', async () => {
    const { shared, begun } = work();
    const seen: string[] = [];
    const waits = ['a', 'b'].map((name) => shared.wait({ onProgress: ({ fraction }) => seen.push(name + fraction) }));
    begun[0]?.run.onProgress({ step: 'load', fraction: 0.5 });
    begun[0]?.give('done');
    expect(await Promise.all(waits)).toEqual(['done', 'done']);
    expect([begun.length, seen]).toEqual([1, ['a0.5', 'b0.5']]);
  });
  it("one who leaves does so at once and ends nobody else's wait", async () => {
    const { shared, begun } = work();
    const one = new AbortController();
    const left = outcome(shared.wait({ signal: one.signal }));
    const stays = outcome(shared.wait({ signal: new AbortController().signal }));
    one.abort();
    expect(await left).toBe('AbortError');
    expect(begun[0]?.run.signal.aborted).toBe(false);
    begun[0]?.give('done');
    expect(await stays).toBe('done');
  });
  it('the last who leaves ends it, and who comes then begins it anew', async () => {
    const { shared, begun } = work();
    const stops = [new AbortController(), new AbortController()];
    const waits = stops.map(({ signal }) => outcome(shared.wait({ signal })));
    stops.forEach((stop) => stop.abort());
    expect(await Promise.all(waits)).toEqual(['AbortError', 'AbortError']);
    expect(begun[0]?.run.signal.aborted).toBe(true);
    const again = shared.wait();
    begun[1]?.give('second');
    expect(await again).toBe('second');
  });
  it('what failed is tried again by the next', async () => {
    const { shared, begun } = work();
    const first = outcome(shared.wait());
    begun[0]?.fail(new Error('broke off'));
    expect(await first).toBe('Error');
    const second = shared.wait();
    begun[1]?.give('done');
    expect(await second).toBe('done');
  });
  it('who has left before asking does not begin it', async () => {
    const { shared, begun } = work();
    expect(await outcome(shared.wait({ signal: AbortSignal.abort() }))).toBe('AbortError');
    expect(begun.length).toBe(0);
  });
});
