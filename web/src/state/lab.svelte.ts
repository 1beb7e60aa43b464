/**
 * The one model store: the worker, what is open in it, and how opening goes. Sections ask `lab.client` for numbers
 * once `lab.ready`; whoever keeps results throws them away when `lab.epoch` changes (another model came).
 *
 * What is open is what the module tells (`opened`): it is read back after every attempt, and nothing of the files that
 * were asked for is remembered as if it had come.
 */
import type { MiniMind, Opened, OpenRequest, Progress, Source } from '$client/api';
import { connect, demoSource } from '$packing';
import { sourcesOf, type Picked } from '../model/files';
import type { Dropped } from '../model/folders';
import { failureOf, wasCancelled, type Failure } from './failure';
import { Shared, type Wait } from './shared';

export type Phase = 'loading' | 'ready' | 'failed';

const demo = (): OpenRequest => ({
  pretrain: demoSource('pretrain.pth'),
  sft: 'later',
  tokenizer: demoSource('tokenizer.json'),
  documents: demoSource('pretrain_val.jsonl'),
  own: false,
});

class Lab {
  phase: Phase = $state('loading');
  progress: Progress | null = $state.raw(null);
  failure: Failure | null = $state.raw(null);
  opened: Opened | null = $state.raw(null);
  /** Goes up whenever another model is open. */
  epoch = $state(0);
  client: MiniMind | null = $state.raw(null);

  #loading = new AbortController();
  #request: OpenRequest = demo();
  #sft: Shared<void> | null = null;

  /** The pretrained model can be asked. */
  get ready(): boolean {
    return this.phase === 'ready';
  }
  get info(): Opened['pretrain'] | undefined {
    return this.opened?.pretrain;
  }
  /** The reader's own files, not the demo. */
  get own(): boolean {
    return this.opened?.own ?? false;
  }

  /** Starts a worker and opens a model in it, whose files come while the module does. */
  async start(request: OpenRequest = demo()): Promise<void> {
    this.#loading.abort();
    this.#loading = new AbortController();
    this.client?.close();
    this.client = null;
    this.#request = request;
    this.#show(null);
    try {
      const { client, started } = connect();
      started.catch(() => undefined); // every call says it, too
      this.client = client;
    } catch (thrown) {
      this.#failed(failureOf(thrown));
      return;
    }
    await this.#open(request);
  }

  openDemo(): Promise<void> {
    return this.#open(demo());
  }

  openOwn(files: Picked<Dropped>): Promise<void> {
    const { documents = demoSource('pretrain_val.jsonl'), ...sources } = sourcesOf(files);
    return this.#open({ ...sources, documents, own: true });
  }

  /** Tries once more what failed last; in a new worker where the old one is lost or full. */
  retry(): Promise<void> {
    const lost = !this.client || this.failure?.kind === 'worker' || this.failure?.kind === 'memory';
    return lost ? this.restart() : this.#open(this.#request);
  }

  /** A new worker, with the files that were asked for last. */
  restart(): Promise<void> {
    return this.start(this.#request);
  }

  cancelLoading(): void {
    this.#loading.abort();
  }

  /** Resolves once the SFT model is there. Rejects with the client's error. */
  sft(wait?: Wait): Promise<void> {
    const { client, opened } = this;
    if (!client || !opened) return Promise.reject(new Error('no model'));
    if (opened.sft) return Promise.resolve();
    this.#sft ??= new Shared(async (run) => {
      const found = await client.openSft(demoSource('sft.pth'), run);
      if (found.number === this.opened?.number) this.opened = found;
    });
    return this.#sft.wait(wait);
  }

  async #open(request: OpenRequest): Promise<void> {
    const { client } = this;
    if (!client) return this.start(request);
    this.#loading.abort();
    const loading = (this.#loading = new AbortController());
    const mine = () => loading === this.#loading && client === this.client;
    this.#request = request;
    this.phase = 'loading';
    this.failure = null;
    this.progress = null;
    let found: Opened | null;
    let failure: Failure | null = null;
    try {
      found = await client.open(request, {
        signal: loading.signal,
        onProgress: (progress) => {
          if (mine()) this.progress = progress;
        },
      });
    } catch (thrown) {
      if (!wasCancelled(thrown)) failure = failureOf(thrown);
      // What is there now? A worker that cannot say so is lost.
      found = await client.opened().catch(() => {
        if (mine()) this.client = null;
        return null;
      });
    }
    if (loading !== this.#loading) return;
    this.progress = null;
    this.#show(found);
    if (failure) this.#failed(failure);
    else if (!found) this.#failed({ kind: 'cancelled', message: '', hint: '' });
  }

  #show(found: Opened | null): void {
    if (found?.number !== this.opened?.number) {
      this.#sft = null;
      if (found) this.epoch += 1;
    }
    this.opened = found;
    this.phase = found ? 'ready' : 'loading';
  }

  #failed(failure: Failure): void {
    this.failure = failure;
    if (!this.opened) this.phase = 'failed';
  }
}

export const lab = new Lab();
