import { describe, expect, it } from 'vitest';
import { sortFiles } from '../../src/model/files';

const files = (...names: string[]) => names.map((name) => ({ name }));
const sorted = (...names: string[]) => {
  const found = sortFiles(files(...names));
  return found.ok ? Object.fromEntries(Object.entries(found.files).map(([role, file]) => [role, file.name])) : found.problem;
};

describe('sortFiles', () => {
  it('takes one checkpoint for both roles', () => {
    expect(sorted('m.safetensors', 'tokenizer.json')).toEqual({ pretrain: 'm.safetensors', sft: 'm.safetensors', tokenizer: 'tokenizer.json' });
  });
  it('tells the two checkpoints apart by name, in any order', () => {
    const wanted = { pretrain: 'pretrain_512.pth', sft: 'full_sft_512.pth', tokenizer: 'tokenizer.json' };
    expect(sorted('full_sft_512.pth', 'tokenizer.json', 'pretrain_512.pth')).toEqual(wanted);
    expect(sorted('pretrain_512.pth', 'full_sft_512.pth', 'tokenizer.json')).toEqual(wanted);
  });
  it('takes config.json and documents along, leaves other settings of Hugging Face alone', () => {
    expect(sorted('a.pth', 'tokenizer.json', 'config.json', 'generation_config.json', 'tokenizer_config.json', 'val.jsonl')).toEqual({
      pretrain: 'a.pth', sft: 'a.pth', tokenizer: 'tokenizer.json', config: 'config.json', documents: 'val.jsonl',
    });
  });
  it('says what is missing or too much', () => {
    expect(sorted('tokenizer.json')).toBe('needCheckpoint');
    expect(sorted('a.pth')).toBe('needTokenizer');
    expect(sorted('a.pth', 'tokenizer_config.json')).toBe('needTokenizer');
    expect(sorted('a.pth', 'b.pth', 'c.pth', 'tokenizer.json')).toBe('tooMany');
    expect(sorted('a.pth', 'tokenizer.json', 'cat.jpg')).toBe('unknownFile');
    expect(sorted()).toBe('needCheckpoint');
  });
});
