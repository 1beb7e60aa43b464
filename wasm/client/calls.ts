/**
 * The one list of calls: what each takes is said by `Calls` (api.ts), what it has to wait for by its row here. Client,
 * engine and queue are typed by it: a call that lacks a row, or a method of the engine, does not compile.
 */
import type { CallName, Calls } from './api.ts';

/**
 * What calls share: the model being opened, the SFT checkpoint on its way, the decode scene, the place where a scene
 * begins (which a question about one of its steps must not overtake), and the module's one long task.
 */
export type Part = 'opening' | 'sft' | 'scene' | 'beginning' | 'task';

interface Row<Name extends CallName> {
  /** How many arguments it takes at most; the client's RunOptions follow them. */
  takes: Required<Parameters<Calls[Name]>>['length'];
  /** Earlier calls that hold one of these end first. */
  waits: readonly Part[];
  /** Later calls that wait for one of these wait for this call. */
  holds: readonly Part[];
}

export const CALLS: { readonly [Name in CallName]: Row<Name> } = {
  // Opening goes on beside all work on the model before, and ends it once the new one is there (serve.ts).
  open: { takes: 1, waits: ['opening'], holds: ['opening'] },
  openSft: { takes: 1, waits: ['opening', 'sft'], holds: ['sft'] },
  opened: { takes: 0, waits: [], holds: [] },

  // Questions only look: they are answered in any pause and hold nobody up.
  tokens: { takes: 1, waits: ['opening'], holds: [] },
  kvBytes: { takes: 1, waits: ['opening'], holds: [] },
  readers: { takes: 3, waits: ['opening'], holds: [] },
  distribution: { takes: 3, waits: ['opening', 'beginning'], holds: [] },
  experiments: { takes: 0, waits: ['opening'], holds: [] },
  whyTable: { takes: 0, waits: ['opening'], holds: [] },
  draw: { takes: 1, waits: ['opening', 'beginning'], holds: [] },
  importTimings: { takes: 1, waits: [], holds: [] },

  startDecode: { takes: 2, waits: ['opening', 'scene'], holds: ['scene', 'beginning'] },
  rewind: { takes: 1, waits: ['opening', 'scene'], holds: ['scene', 'beginning'] },
  step: { takes: 0, waits: ['opening', 'scene'], holds: ['scene'] },
  stepTo: { takes: 1, waits: ['opening', 'scene'], holds: ['scene'] },

  answers: { takes: 1, waits: ['opening', 'sft', 'task'], holds: ['task'] },
  attention: { takes: 1, waits: ['opening', 'task'], holds: ['task'] },
  oldKv: { takes: 1, waits: ['opening', 'task'], holds: ['task'] },
  experiment: { takes: 1, waits: ['opening', 'task'], holds: ['task'] },
  time: { takes: 1, waits: ['opening', 'task'], holds: ['task'] },
  lab: { takes: 1, waits: ['opening', 'sft', 'task'], holds: ['task'] },
  grade: { takes: 3, waits: ['opening', 'sft', 'task'], holds: ['task'] },
};

export const CALL_NAMES = Object.keys(CALLS) as CallName[];
export const isCallName = (name: string): name is CallName => Object.hasOwn(CALLS, name);
