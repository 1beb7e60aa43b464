/**
 * What a page can ask for (api.ts), done with the module in the same thread: the worker serves it to the page,
 * tests call it directly. Long work gives way to other messages every few milliseconds, so that a cancel is
 * heard between two tokens.
 */
import type * as api from './api.ts';
import { cancelled } from './errors.ts';
import { Module, type Place, type Values } from './module.ts';
import { readSources, type LoadedFile } from './sources.ts';

export { Module };

export interface Run {
  signal: AbortSignal;
  onProgress: (progress: api.Progress) => void;
  onStep: (record: api.StepRecord) => void;
}

/** A call's arguments as they arrive: what was left out is undefined. */
type Arrived<Given extends unknown[], Whole extends unknown[] = Required<Given>> = {
  [Index in keyof Whole]: Index extends keyof Given ? Given[Index] : never;
};
/** A method for every call of api.ts. */
export type Handlers = {
  [Name in api.CallName]: (
    ...args: [...Arrived<Parameters<api.Calls[Name]>>, run: Run]
  ) => ReturnType<api.Calls[Name]> | Promise<ReturnType<api.Calls[Name]>>;
};

/** Long enough to cost nothing, short enough for a cancel to be felt at once. */
const SLICE_MILLISECONDS = 10;
/** How much of opening a model is bringing its files; the rest is making it ready. */
const DOWNLOAD_SHARE = 0.9;

export class Engine implements Handlers {
  readonly module: Module;

  constructor(module: Module) {
    this.module = module;
  }

  async open({ pretrain, sft, tokenizer, config, documents, own }: api.OpenRequest, run: Run): Promise<api.Opened> {
    const sftLater = sft === 'later';
    const tuned = sftLater ? {} : filesOf('sft', sft);
    const files = await this.#read(run, { tokenizer, config, documents, ...filesOf('pretrain', pretrain), ...tuned });
    return this.#opening('open', { own, sftLater, files }, run);
  }

  async openSft(checkpoint: api.Checkpoint, run: Run): Promise<api.Opened> {
    const files = await this.#read(run, filesOf('checkpoint', checkpoint));
    return this.#opening('openSft', { files }, run);
  }

  opened(): api.Opened | null {
    return this.module.call('opened');
  }

  tokens(prompt: api.Prompt): api.Token[] {
    return this.module.call<RawToken[]>('tokens', { prompt }).map(token);
  }

  startDecode(prompt: api.Prompt, newTokens: number): api.DecodeStart {
    const start = this.module.call<api.DecodeStart>('startDecode', { prompt, newTokens });
    return { ...start, prompt: start.prompt.map(token) };
  }

  step(): api.StepRecord {
    const record = this.module.call<api.StepRecord>('step');
    return { ...record, token: token(record.token) };
  }

  async stepTo(step: number | undefined, run: Run): Promise<void> {
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

  distribution(position: api.Position, options: api.SamplingOptions, entries = 30): api.DistributionView {
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

  attention(request: api.AttentionRequest, run: Run): Promise<api.Attention> {
    return this.#work('attention', { ...request }, run);
  }

  async oldKv({ causal, ...request }: api.OldKvRequest, run: Run): Promise<api.OldKv> {
    const found = await this.#work<WithRaw<api.OldKv, 'nextWithCache' | 'nextWithoutCache'>>('oldKv', { ...request, causal: causal ? 1 : 0 }, run);
    return { ...found, nextWithCache: token(found.nextWithCache), nextWithoutCache: token(found.nextWithoutCache) };
  }

  experiments(): api.ExperimentName[] {
    return this.module.call('experiments');
  }

  async experiment(request: { name: string; prompt: api.Prompt }, run: Run): Promise<api.Experiment> {
    type Raw = Omit<api.Experiment, 'tokens' | 'tokensControl'> & Record<'tokens' | 'tokensControl', RawToken[]>;
    const found = await this.#work<Raw>('experiment', request, run);
    return { ...found, tokens: found.tokens.map(token), tokensControl: found.tokensControl.map(token) };
  }

  whyTable(): { text: string; json: string } {
    return this.module.call('whyTable');
  }

  draw(request: api.DrawRequest): api.Draw {
    type RawRacer = WithRaw<api.Racer, 'token'>;
    type Raw = { winner: RawRacer; likeliest: RawRacer; racers: RawRacer[]; winners: WithRaw<{ from: number; token: api.Token }, 'token'>[] };
    const whole = <T extends { token: RawToken }>(one: T) => ({ ...one, token: token(one.token) });
    const found = this.module.call<Raw>('draw', { ...request });
    return { winner: whole(found.winner), likeliest: whole(found.likeliest), racers: found.racers.map(whole), winners: found.winners.map(whole) };
  }

  answers({ question, temperature, seed = 0n, topP = 1 }: api.AnswersRequest, run: Run): Promise<api.Answers> {
    // JSON has no 64-bit integers: the seed travels as its digits.
    return this.#work('answers', { temperature, topP, seed: String(seed), ...(question !== undefined && { question }) }, run);
  }

  time(prompt: api.Prompt = { kind: 'lab' }, run: Run): Promise<api.Timing> {
    return this.#work('time', { prompt }, run);
  }

  async importTimings(source: api.Source, run: Run): Promise<api.ImportedTimings> {
    const files = await this.#read(run, { file: source });
    return this.module.call('importTimings', { files });
  }

  lab({ time }: api.LabRequest = {}, run: Run): Promise<api.LabRun> {
    return this.#work('lab', time === undefined ? {} : { time }, run);
  }

  grade(artifacts: api.Artifact[], language: api.Language, feedback: api.Feedback = 'hint', run: Run): Promise<api.GradeResult> {
    return this.#work('grade', { artifacts, language, feedback }, run);
  }

  /** Long work: begun by a call, carried on in slices, dropped when a cancel came in between. */
  async #work<T>(name: string, params: Values, run: Run): Promise<T> {
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

  /** The core's part of opening: at once, and whole or not at all. */
  #opening(name: string, params: Values, run: Run): api.Opened {
    run.onProgress({ step: 'load', fraction: DOWNLOAD_SHARE });
    const opened = this.module.call<api.Opened>(name, params);
    run.onProgress({ step: 'load', fraction: 1 });
    return opened;
  }

  #read<Name extends string>(run: Run, sources: Record<Name, api.Source | undefined>): Promise<Partial<Record<Name, LoadedFile>>> {
    const given = (Object.entries(sources) as [Name, api.Source | undefined][]).filter((one): one is [Name, api.Source] => one[1] !== undefined);
    return readSources(this.module, given, run.signal, (done, total) => {
      run.onProgress({ step: 'download', fraction: total ? (DOWNLOAD_SHARE * done) / total : 0, bytes: { done, total } });
    });
  }
}

/** A checkpoint's files as the core takes them: shards follow their index as "pretrain/0", "pretrain/1", …. */
function filesOf(role: string, checkpoint: api.Checkpoint | undefined): Record<string, api.Source | undefined> {
  if (!checkpoint || !('index' in checkpoint)) return { [role]: checkpoint };
  return { [role]: checkpoint.index, ...Object.fromEntries(checkpoint.shards.map((shard, i) => [`${role}/${i}`, shard])) };
}

/** As the module tells it: bytes of tokens as a plain list. */
type WithRaw<T, Name extends keyof T> = Omit<T, Name> & Record<Name, RawToken>;
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
