import { describe, expect, it } from 'vitest';
import type { DecodeStart, StepRecord } from '$client/api';
import { ABSENT, stepOf, turn, type Command, type Event, type Scene } from '../../src/state/scene';

const start = { newTokens: 8, prompt: [] } as unknown as DecodeStart;
const record = (step: number): Event => ({ type: 'record', key: 'a', record: { step } as StepRecord });
const failure = { kind: 'internal', message: 'no', hint: '' } as const;

/** A scene and all that was to be done about it. */
function after(...events: Event[]): { scene: Scene; done: Command[] } {
  let scene = ABSENT;
  const done: Command[] = [];
  for (const event of events) {
    const [next, ...commands] = turn(scene, event);
    scene = next;
    done.push(...commands);
  }
  return { scene, done };
}
const begin = (step = 0): Event[] => [{ type: 'scene', key: 'a', step }, { type: 'begun', key: 'a', start }];
const walked: Event = { type: 'walked', key: 'a' };
const seek = (step: number): Event[] => [{ type: 'pause' }, { type: 'scene', key: 'a', step }];
const steps = (last: number): Event[] => Array.from({ length: last }, (_, index) => record(index + 1));

describe('the decode scene', () => {
  it('begins, and rests when nothing is wanted', () => {
    const { scene, done } = after(...begin());
    expect([scene.is, done]).toEqual(['still', ['begin']]);
  });
  it('walks to the step of the address', () => {
    const { scene, done } = after(...begin(3), ...steps(3), walked);
    expect([scene.is, stepOf(scene), done]).toEqual(['still', 3, ['begin', 'walk']]);
  });
  it('keeps a step that is asked for before it has begun', () => {
    const { scene } = after({ type: 'scene', key: 'a', step: 0 }, ...seek(64), { type: 'begun', key: 'a', start });
    expect([scene.is, scene.wanted]).toEqual(['walking', 8]);
  });
  it('no step is wanted beyond the last', () => {
    expect(after(...begin(64)).scene.wanted).toBe(8);
    expect(after(...begin(8), ...steps(8), walked, { type: 'next' }).done).toEqual(['begin', 'walk']);
  });
  it('a press while a step is computed counts as well', () => {
    const pressed = after(...begin(), { type: 'next' }, { type: 'next' }, { type: 'next' }, record(1), walked);
    expect([pressed.scene.is, pressed.scene.target, pressed.done]).toEqual(['walking', 3, ['begin', 'walk', 'walk']]);
  });
  it('going back reads records, and ends a walk that is wanted no more', () => {
    const back = after(...begin(8), ...steps(4), ...seek(2));
    expect([back.scene.is, stepOf(back.scene), back.done]).toEqual(['stopping', 2, ['begin', 'walk', 'abort']]);
    const still = after(...begin(8), ...steps(4), ...seek(2), record(5), walked);
    expect([still.scene.is, stepOf(still.scene), still.scene.records.length]).toEqual(['still', 2, 5]);
  });
  it('a slider dragged back and on again goes on once the walk has stopped', () => {
    const { scene, done } = after(...begin(8), ...steps(4), ...seek(2), ...seek(7), walked);
    expect([scene.is, scene.target, done]).toEqual(['walking', 7, ['begin', 'walk', 'abort', 'walk']]);
  });
  it('a nearer step ends the walk when it is reached', () => {
    expect(after(...begin(8), ...steps(2), ...seek(3)).done).toEqual(['begin', 'walk']);
    expect(after(...begin(8), ...steps(2), ...seek(3), record(3)).done).toEqual(['begin', 'walk', 'abort']);
  });
  it('stop stays where it is; the next step goes on from there', () => {
    const stopped = after(...begin(8), ...steps(4), { type: 'stop' }, record(5), walked);
    expect([stopped.scene.is, stopped.scene.wanted, stepOf(stopped.scene)]).toEqual(['still', 4, 4]);
    expect(after(...begin(8), ...steps(4), { type: 'stop' }, record(5), walked, { type: 'next' }).scene.wanted).toBe(5);
  });
  it('plays step by step, through what is recorded and on, and ends at the end', () => {
    const tick: Event = { type: 'tick' };
    const played = after(...begin(6), ...steps(6), walked, ...seek(5), { type: 'play' }, tick, record(7), walked, tick, record(8), walked);
    expect([played.scene.playing, stepOf(played.scene)]).toEqual([false, 8]);
    expect(played.done).toEqual(['begin', 'walk', 'tick', 'walk', 'tick', 'walk']);
  });
  it('play at the end begins at the start; a tick while a step is computed does nothing', () => {
    const again = after(...begin(8), ...steps(8), walked, { type: 'play' });
    expect([again.scene.playing, stepOf(again.scene), again.done]).toEqual([true, 0, ['begin', 'walk', 'tick']]);
    expect(after(...begin(), { type: 'play' }, { type: 'tick' }).scene.wanted).toBe(1);
  });
  it('pausing forgets the tick that is under way', () => {
    expect(after(...begin(2), ...steps(2), walked, ...seek(0), { type: 'play' }, { type: 'stop' }, { type: 'tick' }).scene.wanted).toBe(1);
  });
  it('another scene begins at once; what the one before still tells is nobody\'s', () => {
    const other = after(...begin(8), ...steps(2), { type: 'scene', key: 'b', step: 1 }, record(3), walked, { type: 'failed', key: 'a', failure });
    expect(other.scene).toMatchObject({ is: 'starting', key: 'b', records: [], wanted: 1, failure: null });
    expect(other.done).toEqual(['begin', 'walk', 'abort', 'begin']);
  });
  it('a walk that another model ended is not begun again', () => {
    const { scene, done } = after(...begin(8), ...steps(2), { type: 'walked', key: 'a', gone: true });
    expect([scene.is, done]).toEqual(['still', ['begin', 'walk']]);
  });
  it('a failure keeps what was recorded; nothing steps until the scene begins anew', () => {
    const failed = after(...begin(8), ...steps(2), { type: 'failed', key: 'a', failure }, { type: 'next' });
    expect(failed.scene).toMatchObject({ is: 'failed', failure, playing: false });
    expect(failed.scene.records.length).toBe(2);
    expect(failed.done).toEqual(['begin', 'walk']);
    expect(after(...begin(8), ...steps(2), { type: 'failed', key: 'a', failure }, { type: 'leave', step: 2 }, ...begin(2)).scene).toMatchObject({ is: 'walking', failure: null });
  });
  it('without a model the step of the address waits for one', () => {
    expect(after({ type: 'leave', step: 4 }).scene).toMatchObject({ is: 'absent', wanted: 4 });
  });
  it('records come once and in order', () => {
    expect(after(...begin(8), record(1), record(1), record(3)).scene.records.length).toBe(1);
  });
});
