import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { bytesOf, typeOf, zipOf } from '../../src/sections/finish/files';
import { crc32 } from '../../src/sections/finish/zip';
import { groups, type Check } from '../../src/sections/finish/groups';

const artifacts = [
  { name: 'same.json', text: '{"ids": [1, 2]}\n' },
  { name: 'report.md', text: '## KV 캐시\n\u{1F600}\u0001\n' },
];

const decode = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

describe('files', () => {
  it('are the texts in UTF-8, byte for byte', () => {
    expect(decode(bytesOf(artifacts[1] ?? { name: '', text: '' }))).toBe(artifacts[1]?.text);
    expect(typeOf('a.json')).toBe('application/json');
    expect(typeOf('report.md')).toContain('markdown');
    expect(typeOf('cache.py')).toContain('python');
  });
  it('go into a zip whole, and the same files make the same zip', async () => {
    const zip = new Uint8Array(await zipOf(artifacts).arrayBuffer());
    const found = unzipSync(zip);
    expect(Object.keys(found).filter((name) => !name.endsWith('/'))).toEqual(['infer/same.json', 'infer/report.md']);
    for (const artifact of artifacts) expect(decode(found[`infer/${artifact.name}`])).toBe(artifact.text);
    expect(new Uint8Array(await zipOf(artifacts).arrayBuffer())).toEqual(zip);
  });
  it.each([['', 0], ['a', 0xe8b7be43], ['123456789', 0xcbf43926], ['The quick brown fox jumps over the lazy dog', 0x414fa339]])(
    'have the published check sum of “%s”',
    (text, expected) => {
      expect(crc32(new TextEncoder().encode(text))).toBe(expected);
    },
  );
});

describe('checks', () => {
  const check = (id: string, ok: boolean, max: number): Check => ({ id, group: id.split('.')[0] ?? '', title: id, ok, points: ok ? max : 0, max, hint: '' });
  it('stand together by file, in the grader’s order', () => {
    const found = groups([check('folder.read', true, 0), check('cache.calls', true, 5), check('same.ids', true, 8), check('same.form', false, 1), check('report.headings', true, 3)]);
    expect(found.map(({ name, file, ok, points, max }) => [name, file, ok, points, max])).toEqual([
      ['cache', 'cache.py', true, 5, 5],
      ['same', 'same.json', false, 8, 9],
      ['report', 'report.md', true, 3, 3],
    ]);
  });
  it('of the folder show only when they fail', () => {
    expect(groups([check('folder.read', false, 0)]).map(({ name }) => name)).toEqual(['folder']);
  });
});
