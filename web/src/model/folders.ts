/** Files and whole folders that were dropped, as one flat list. */
import type { Given } from './files';

export type Dropped = Given & { file: File };

/** More than any model's folder has: a whole disk is not read by mistake. */
const MOST_FILES = 2000;
const DEEPEST = 4;

/** What a file field gave. */
export const chosenFiles = (files: Iterable<File>): Dropped[] =>
  [...files].map((file) => ({ file, name: file.name, path: file.webkitRelativePath || file.name }));

/** Call it within the drop event: what was dropped is gone afterwards. */
export function droppedFiles(transfer: DataTransfer): Promise<Dropped[]> {
  const entries = [...transfer.items].map((item) => (item.kind === 'file' ? item.webkitGetAsEntry() : null));
  // What a script made has no entries.
  if (!entries.some((entry) => entry?.isDirectory)) return Promise.resolve(chosenFiles(transfer.files));
  return filesOf(entries.filter((entry) => entry !== null));
}

async function filesOf(entries: readonly FileSystemEntry[]): Promise<Dropped[]> {
  const found: Dropped[] = [];
  const read = async (entry: FileSystemEntry, depth: number): Promise<void> => {
    if (found.length >= MOST_FILES) return;
    if (entry.isFile) {
      const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
      found.push({ file, name: file.name, path: entry.fullPath.replace(/^\//, '') });
    } else if (depth < DEEPEST && !(depth > 0 && entry.name.startsWith('.'))) {
      for (const inner of await listed(entry as FileSystemDirectoryEntry)) await read(inner, depth + 1);
    }
  };
  for (const entry of entries) await read(entry, 0);
  return found;
}

/** A folder's entries come in portions, the last of which is empty. */
async function listed(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (portion.length === 0) return all;
    all.push(...portion);
  }
}
