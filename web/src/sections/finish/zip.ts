/**
 * Files as one zip, kept as they are: a few thousand bytes of text are not worth a compressor, which would be the
 * largest script of its section. Pure. Format: PKWARE's APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16.
 */
export interface ZipFile {
  /** Path inside the zip, with '/'. */
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Version 2.0, names in UTF-8, stored, 1 January 1980: the same files make the same zip. */
const KIND = [20, 0x800, 0, 0, 0x21];

export function zip(files: readonly ZipFile[]): Blob {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let at = 0;
  let listed = 0;
  for (const { name, bytes } of files) {
    const path = new TextEncoder().encode(name);
    const facts = [...shorts(...KIND), ...longs(crc32(bytes), bytes.length, bytes.length), ...shorts(path.length, 0)];
    const head = Uint8Array.from([...longs(0x04034b50), ...facts]);
    const entry = Uint8Array.from([...longs(0x02014b50), ...shorts(20), ...facts, ...shorts(0, 0, 0), ...longs(0, at)]);
    parts.push(head, path, bytes);
    directory.push(entry, path);
    at += head.length + path.length + bytes.length;
    listed += entry.length + path.length;
  }
  const end = [...longs(0x06054b50), ...shorts(0, 0, files.length, files.length), ...longs(listed, at), ...shorts(0)];
  return new Blob([...parts, ...directory, Uint8Array.from(end)], { type: 'application/zip' });
}

/** Little-endian. */
const shorts = (...values: number[]) => values.flatMap((value) => [value & 255, value >> 8]);
const longs = (...values: number[]) => values.flatMap((value) => shorts(value & 65535, value >>> 16));

/** ISO 3309, as zip and gzip use it. */
export function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
