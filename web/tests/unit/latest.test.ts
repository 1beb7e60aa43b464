import { describe, expect, it } from 'vitest';
import { Latest } from '../../src/state/latest.svelte';

/** A question whose answer is given by hand. */
function question<T>() {
  let give: (value: T) => void = () => undefined;
  let fail: (thrown: unknown) => void = () => undefined;
  let asked = 0;
  const promise = new Promise<T>((resolve, reject) => {
    give = resolve;
    fail = reject;
  });
  return { ask: () => ((asked += 1), promise), give: (value: T) => give(value), fail: (thrown: unknown) => fail(thrown), asked: () => asked };
}
const settle = () => new Promise((resolve) => setTimeout(resolve));

describe('Latest', () => {
  it('asks one at a time, and of those that wait only the newest', async () => {
    const latest = new Latest<number>();
    const [a, b, c] = [question<number>(), question<number>(), question<number>()];
    latest.ask(a.ask);
    latest.ask(b.ask);
    latest.ask(c.ask);
    expect([a.asked(), b.asked(), c.asked()]).toEqual([1, 0, 0]);
    a.give(1);
    await settle();
    expect(latest.value).toBe(1);
    expect([b.asked(), c.asked()]).toEqual([0, 1]);
    c.give(3);
    await settle();
    expect(latest.value).toBe(3);
  });
  it('throws away an answer that was forgotten meanwhile', async () => {
    const latest = new Latest<number>();
    const [a, b] = [question<number>(), question<number>()];
    latest.ask(a.ask);
    latest.forget();
    latest.ask(b.ask);
    a.give(1);
    await settle();
    expect(latest.value).toBeNull();
    b.give(2);
    await settle();
    expect(latest.value).toBe(2);
  });
  it('keeps the last answer beside a failure, and forgets the failure with the next answer', async () => {
    const latest = new Latest<number>();
    latest.ask(() => Promise.resolve(1));
    await settle();
    latest.ask(() => Promise.reject(new Error('no')));
    await settle();
    expect(latest.value).toBe(1);
    expect(latest.failure).toMatchObject({ kind: 'internal', message: 'no' });
    latest.ask(() => Promise.resolve(2));
    await settle();
    expect(latest.failure).toBeNull();
  });
  it('does not call a stop a failure', async () => {
    const latest = new Latest<number>();
    latest.ask(() => Promise.reject(Object.assign(new Error('stopped'), { kind: 'cancelled' })));
    await settle();
    expect(latest.failure).toBeNull();
  });
});
