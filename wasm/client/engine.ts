/**
 * What a page can ask for (api.ts), done with the module in the same thread: the worker serves it to the page,
 * tests call it directly. Long work gives way to other messages every few milliseconds, so that a cancel is
 * heard between two tokens.
 */
import type * as api from './api.ts';
import { cancelled } from './errors.ts';
import { Later } from './later.ts';
import { Module, type Place, type Values } from './module.ts';
import { readSource, type LoadedFile } from './sources.ts';

export { Later, Module };

export interface Run {
  signal: AbortSignal;
  onProgress: (progress: api.Progress) => void;
  onStep: (record: api.StepRecord) => void;
}

/** Long enough to cost nothing, short enough for a cancel to be felt at once. */
const SLICE_MILLISECONDS = 10;

export class Engine {
  readonly module: Module;

  constructor(module: Module) {
    this.module = module;
  }

  /** The methods a page may name. */
  static readonly methods = [
    'load', 'loadDocuments', 'unload', 'tokens', 'startDecode', 'step', 'stepTo', 'rewind', 'distribution', 'kvBytes', 'readers',
    'answers', 'time', 'importTimings', 'lab', 'grade',
  ] as const;

  async load(request: api.LoadRequest, run: Run): Promise<api.ModelInfo> {
    const files = await this.#read(run, {
      tokenizer: request.tokenizer,
      config: request.config,
      checkpoint: request.checkpoint,
    });
    run.onProgress({ step: 'load', fraction: 0 });
    const info = this.module.call<api.ModelInfo>('load', { role: request.role, files });
    run.onProgress({ step: 'load', fraction: 1 });
    // The model works: now is time for the rest. Whoever needs what does not come asks again.
    this.module.whole().catch(() => undefined);
    return info;
  }

  async loadDocuments(source: api.Source, run: Run): Promise<number> {
    const files = await this.#read(run, { file: source });
    return this.module.call<number>('loadDocuments', { files });
  }

  unload(role: api.Role): void {
    this.module.call('unload', { role });
  }

  tokens(prompt: api.Prompt, role: api.Role): api.Token[] {
    return this.module.call<RawToken[]>('tokens', { prompt, role }).map(token);
  }

  startDecode(prompt: api.Prompt, newTokens: number): api.DecodeStart {
    const start = this.module.call<api.DecodeStart>('startDecode', { prompt, newTokens });
    return { ...start, prompt: start.prompt.map(token) };
  }

  step(): api.StepRecord {
    const record = this.module.call<api.StepRecord>('step');
    return { ...record, token: token(record.token) };
  }

  async stepTo(step: number | null, run: Run): Promise<void> {
    for (;;) {
      const { made, of } = this.module.call<{ made: number; of: number }>('steps');
      const last = Math.min(step ?? of, of);
      if (made >= last) return;
      run.onStep(this.step());
      if (made + 1 >= last) return;
      await giveWay(run.signal);
    }
  }

  rewind(step: number): void {
    this.module.call('rewind', { step });
  }

  distribution(position: api.Position, options: api.SamplingOptions, entries: number): api.DistributionView {
    type Raw = Omit<api.DistributionView, 'ids' | 'probabilities' | 'cumulative'> & Record<'ids' | 'probabilities' | 'cumulative', Place>;
    const raw = this.module.call<Raw>('distribution', { position, options, entries });
    return {
      ...raw,
      ids: this.module.int32(raw.ids),
      probabilities: this.module.float32(raw.probabilities),
      cumulative: this.module.float32(raw.cumulative),
    };
  }

  kvBytes(tokens: number[]): { tokens: number; bytes: number; afterRepeat: number }[] {
    return this.module.call('kvBytes', { tokens });
  }

  readers(cardGigabytes: number, context: number, cacheBytesPerValue: number): api.Readers {
    return this.module.call('readers', { cardGigabytes, context, cacheBytesPerValue });
  }

  answers({ question, temperature, seed = 0n }: api.AnswersRequest, run: Run): Promise<api.Answers> {
    // JSON has no 64-bit integers: the seed travels as its digits.
    return this.#work('answers', { temperature, seed: String(seed), ...(question !== undefined && { question }) }, run);
  }

  time(prompt: api.Prompt, run: Run): Promise<api.Timing> {
    return this.#work('time', { prompt }, run);
  }

  async importTimings(source: api.Source, run: Run): Promise<api.ImportedTimings> {
    await this.module.whole();
    const files = await this.#read(run, { file: source });
    return this.module.call('importTimings', { files });
  }

  lab({ time }: api.LabRequest, run: Run): Promise<api.LabRun> {
    return this.#work('lab', time === undefined ? {} : { time }, run);
  }

  grade(artifacts: api.Artifact[], language: api.Language, feedback: api.Feedback, run: Run): Promise<api.GradeResult> {
    return this.#work('grade', { artifacts, language, feedback }, run);
  }

  /** Long work: begun by a call, carried on in slices, dropped when a cancel came in between. */
  async #work<T>(name: string, params: Values, run: Run): Promise<T> {
    await this.module.whole();
    this.module.call(name, params);
    try {
      for (;;) {
        const reply = this.module.call<{ step: string; fraction: number; done: boolean; value: T }>('advance', {
          milliseconds: SLICE_MILLISECONDS,
        });
        run.onProgress({ step: reply.step, fraction: reply.fraction });
        if (reply.done) return reply.value;
        await giveWay(run.signal);
      }
    } catch (error) {
      if (run.signal.aborted) this.module.call('drop');
      throw error;
    }
  }

  /** Sources into the module's memory, one after another; all are dropped when one fails. */
  async #read(run: Run, sources: Record<string, api.Source | undefined>): Promise<Record<string, LoadedFile>> {
    const files: Record<string, LoadedFile> = {};
    try {
      for (const [name, source] of Object.entries(sources)) {
        if (!source) continue;
        files[name] = await readSource(this.module, source, run.signal, (done, total) => {
          run.onProgress({ step: 'download', fraction: total ? done / total : 0, bytes: { done, total } });
        });
      }
      if (run.signal.aborted) throw cancelled();
      return files;
    } catch (error) {
      for (const file of Object.values(files)) this.module.free(file.at);
      throw error;
    }
  }
}

type RawToken = Omit<api.Token, 'bytes'> & { bytes: ArrayLike<number> };
const token = (raw: RawToken): api.Token => ({ ...raw, bytes: Uint8Array.from(raw.bytes) });

/** Lets waiting messages in; throws when one of them was a cancel. */
async function giveWay(signal: AbortSignal): Promise<void> {
  await nextTurn();
  if (signal.aborted) throw cancelled();
}

/** setTimeout would wait four milliseconds. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
