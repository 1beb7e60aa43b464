/**
 * The one model store: the worker, what is loaded in it, and how loading goes. Sections ask `lab.client` for numbers
 * once `lab.ready`; whoever keeps results throws them away when `lab.epoch` changes (another model came).
 */
import type { LoadRequest, MiniMind, ModelInfo, Progress, Role, Source } from '$client/api';
import { connect, demoSource } from '$packing';
import type { Picked } from '../model/files';
import { failureOf, wasCancelled, type Failure } from './failure';

export type Phase = 'loading' | 'ready' | 'failed';

class Lab {
  phase: Phase = $state('loading');
  progress: Progress | null = $state.raw(null);
  failure: Failure | null = $state.raw(null);
  /** What is in the module, by role. */
  models: Partial<Record<Role, ModelInfo>> = $state.raw({});
  /** The reader's own files, or the demo. */
  own = $state(false);
  /** Goes up whenever the loaded models change. */
  epoch = $state(0);
  client: MiniMind | null = $state.raw(null);

  #loading = new AbortController();
  #sft: Promise<ModelInfo> | null = null;
  #sftRequest: LoadRequest | null = null;
  #again: () => Promise<void> = () => this.start();

  /** The pretrained model can be asked. */
  get ready(): boolean {
    return this.phase === 'ready';
  }
  get info(): ModelInfo | undefined {
    return this.models.pretrain;
  }

  /** Starts the worker and loads the demo, whose files come while the module does. */
  async start(): Promise<void> {
    try {
      this.client?.close();
      const { client, started } = connect();
      this.client = client;
      const loaded = this.loadDemo();
      await started;
      await loaded;
    } catch (thrown) {
      this.client = null;
      this.#again = () => this.start();
      this.#fail(thrown);
    }
  }

  loadDemo(): Promise<void> {
    const tokenizer = demoSource('tokenizer.json');
    return this.#load(
      { role: 'pretrain', checkpoint: demoSource('pretrain.pth'), tokenizer },
      { role: 'sft', checkpoint: demoSource('sft.pth'), tokenizer },
      demoSource('pretrain_val.jsonl'),
      false,
    );
  }

  loadOwn(files: Picked<File>): Promise<void> {
    const source = (file: File): Source => ({ file, name: file.name });
    const shared = { tokenizer: source(files.tokenizer), ...(files.config && { config: source(files.config) }) };
    return this.#load(
      { role: 'pretrain', checkpoint: source(files.pretrain), ...shared },
      { role: 'sft', checkpoint: source(files.sft), ...shared },
      files.documents ? source(files.documents) : demoSource('pretrain_val.jsonl'),
      true,
    );
  }

  /** Tries once more what failed last. */
  retry(): Promise<void> {
    const lost = this.failure?.kind === 'worker' || this.failure?.kind === 'memory';
    return lost ? this.start() : this.#again();
  }

  cancelLoading(): void {
    this.#loading.abort();
  }

  /** The SFT model, loaded now if it is not yet there. Rejects with the client's error. */
  sft(run?: { signal?: AbortSignal; onProgress?: (progress: Progress) => void }): Promise<ModelInfo> {
    const { client } = this;
    const request = this.#sftRequest;
    if (!client || !request) return Promise.reject(new Error('no model'));
    this.#sft ??= client
      .load(request, run)
      .then((info) => {
        if (request === this.#sftRequest) this.models = { ...this.models, sft: info };
        return info;
      })
      .catch((thrown: unknown) => {
        this.#sft = null;
        throw thrown;
      });
    return this.#sft;
  }

  async #load(pretrain: LoadRequest, sft: LoadRequest, documents: Source, own: boolean): Promise<void> {
    const { client } = this;
    if (!client) return this.start();
    this.#loading.abort();
    const loading = (this.#loading = new AbortController());
    const before = { models: this.models, phase: this.phase };
    this.#again = () => this.#load(pretrain, sft, documents, own);
    this.phase = 'loading';
    this.failure = null;
    this.progress = null;
    const run = { signal: loading.signal, onProgress: (progress: Progress) => (this.progress = progress) };
    try {
      const loaded = client.load(pretrain, run);
      // A model that does not load leaves what was there: its documents, too.
      if (before.models.pretrain) await loaded;
      const [info] = await Promise.all([loaded, client.loadDocuments(documents, { signal: loading.signal })]);
      if (loading !== this.#loading) return;
      this.#sft = null;
      this.#sftRequest = sft;
      this.models = { pretrain: info };
      this.own = own;
      this.phase = 'ready';
      this.epoch += 1;
    } catch (thrown) {
      if (loading !== this.#loading) return;
      // The module keeps what it had: a wrong file or a stop leaves the model that was there.
      if (before.models.pretrain && own) {
        this.models = before.models;
        this.phase = 'ready';
        if (!wasCancelled(thrown)) this.failure = failureOf(thrown);
      } else this.#fail(thrown);
    } finally {
      if (loading === this.#loading) this.progress = null;
    }
  }

  #fail(thrown: unknown): void {
    this.failure = failureOf(thrown);
    this.phase = 'failed';
  }
}

export const lab = new Lab();
