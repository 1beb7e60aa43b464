/**
 * The decode scene as one state machine: what it is doing, what was recorded, which step is looked at. Pure: an event
 * gives the next state and what the store (decode.svelte.ts) is to do about it.
 */
import type { DecodeStart, StepRecord } from '$client/api';
import type { Failure } from './failure';

export interface Scene {
  /**
   * absent: no model. starting: the module begins the scene. still: all that is wanted is recorded. walking: the module
   * steps on to `wanted`. stopping: it was told to stop, and has not yet. failed: see `failure`.
   */
  readonly is: 'absent' | 'starting' | 'still' | 'walking' | 'stopping' | 'failed';
  /** Model and prompt; "" when absent. */
  readonly key: string;
  readonly start: DecodeStart | null;
  /** Of steps 1, 2, … */
  readonly records: readonly StepRecord[];
  /** The step the reader asked for. */
  readonly wanted: number;
  /** Where the walk under way ends. */
  readonly target: number;
  /** A step follows by itself whenever the scene is still. */
  readonly playing: boolean;
  readonly failure: Failure | null;
}

export type Event =
  | { type: 'scene'; key: string; step: number }
  | { type: 'begun'; key: string; start: DecodeStart }
  | { type: 'pause' }
  | { type: 'next' }
  | { type: 'play' }
  | { type: 'tick' }
  | { type: 'stop' }
  | { type: 'record'; key: string; record: StepRecord }
  /** `gone`: another model ended it. */
  | { type: 'walked'; key: string; gone?: boolean }
  | { type: 'failed'; key: string; failure: Failure }
  /** There is no model: `step` is what will be wanted when there is one. */
  | { type: 'leave'; step: number };

/** begin: start the scene in the module. walk: step on to `wanted`. abort: end the walk. tick: say so after a moment. */
export type Command = 'begin' | 'walk' | 'abort' | 'tick';
export type Turn = readonly [Scene, ...Command[]];

export const ABSENT: Scene = { is: 'absent', key: '', start: null, records: [], wanted: 0, target: 0, playing: false, failure: null };

export const totalOf = ({ start }: Scene): number => start?.newTokens ?? 0;
/** The step that is shown: the one asked for, or as far as the module has come on the way there. */
export const stepOf = ({ wanted, records }: Scene): number => Math.min(wanted, records.length);
export const isBusy = ({ is }: Scene): boolean => is === 'walking' || is === 'stopping';
const atEnd = (scene: Scene): boolean => stepOf(scene) >= totalOf(scene);

/** What follows from what is wanted: on, back, or nothing. */
function settle(scene: Scene): Turn {
  const { is, records, wanted, target } = scene;
  const ahead = wanted > records.length;
  if (is === 'still') {
    if (ahead) return [{ ...scene, is: 'walking', target: wanted }, 'walk'];
    if (!scene.playing) return [scene];
    return atEnd(scene) ? [{ ...scene, playing: false }] : [scene, 'tick'];
  }
  // No need to go on. Who wants more before the walk has stopped gets another one afterwards.
  return is === 'walking' && !ahead && records.length < target ? [{ ...scene, is: 'stopping' }, 'abort'] : [scene];
}

function want(scene: Scene, step: number): Turn {
  // How many steps there are is not known yet: `begun` sees to that.
  if (scene.is === 'starting') return [{ ...scene, wanted: Math.max(0, step) }];
  const wanted = Math.max(0, Math.min(totalOf(scene), step));
  return scene.start && wanted !== scene.wanted ? settle({ ...scene, wanted }) : [scene];
}

function next(scene: Scene): Turn {
  // A press that comes while another step is computed counts as well.
  return atEnd(scene) ? [{ ...scene, playing: false }] : want(scene, scene.wanted + 1);
}

export function turn(scene: Scene, event: Event): Turn {
  // What an earlier scene still tells is nobody's.
  if ('key' in event && event.type !== 'scene' && event.key !== scene.key) return [scene];
  switch (event.type) {
    case 'scene': {
      if (event.key === scene.key) return want(scene, event.step);
      const begun: Scene = { ...ABSENT, is: 'starting', key: event.key, wanted: event.step };
      return isBusy(scene) ? [begun, 'abort', 'begin'] : [begun, 'begin'];
    }
    case 'begun':
      return settle({ ...scene, is: 'still', start: event.start, wanted: Math.min(scene.wanted, event.start.newTokens) });
    case 'pause':
      return [{ ...scene, playing: false }];
    case 'next':
      return next(scene);
    case 'play': {
      if (scene.playing || !scene.start) return [scene];
      const playing = { ...scene, playing: true };
      return atEnd(scene) ? settle({ ...playing, wanted: 0 }) : next(playing);
    }
    case 'tick':
      return scene.playing && scene.is === 'still' ? next(scene) : [scene];
    case 'stop': {
      const stopped = { ...scene, playing: false, wanted: scene.start ? stepOf(scene) : scene.wanted };
      return scene.is === 'walking' ? [{ ...stopped, is: 'stopping' }, 'abort'] : [stopped];
    }
    case 'record':
      if (event.record.step !== scene.records.length + 1) return [scene];
      return settle({ ...scene, records: [...scene.records, event.record] });
    case 'walked':
      if (!isBusy(scene)) return [scene];
      return event.gone ? [{ ...scene, is: 'still', playing: false }] : settle({ ...scene, is: 'still' });
    case 'failed':
      return [{ ...scene, is: 'failed', playing: false, wanted: scene.start ? stepOf(scene) : scene.wanted, failure: event.failure }];
    case 'leave':
      return isBusy(scene) ? [{ ...ABSENT, wanted: event.step }, 'abort'] : [{ ...ABSENT, wanted: event.step }];
  }
}
