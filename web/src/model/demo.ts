/** Where the demo's files are, seen from the page. The static folder has them beside it; the single file inside it. */
import type { Source } from '$client/api';

export type DemoFile = 'pretrain.pth' | 'sft.pth' | 'tokenizer.json' | 'pretrain_val.jsonl';

export const demoSource = (name: DemoFile): Source => ({ url: new URL(`models/demo/${name}`, document.baseURI).href });
