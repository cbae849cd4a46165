import { copyFile, link, readdir, readFile, stat } from 'node:fs/promises';
import { systemErrorCode } from '../../domain/errors.ts';
import type { ArchiveEntry } from './archive/write-archive.ts';

/** Names in a folder in a fixed order; empty if the folder does not exist. */
export async function listSorted(folder: string): Promise<string[]> {
  return (await ignoreMissing(readdir(folder)))?.sort() ?? [];
}

/** The content of a file; `null` if it does not exist. */
export function readIfPresent(path: string): Promise<Buffer | null> {
  return ignoreMissing(readFile(path));
}

/** Links a file, or copies it if the file system has no links. Resolves with `false` if the file no longer exists. */
export async function linkOrCopy(path: string, target: string): Promise<boolean> {
  const linked = link(path, target).catch((error) => {
    if (systemErrorCode(error) === 'ENOENT') throw error;
    return copyFile(path, target);
  });
  return (await ignoreMissing(linked.then(() => true))) ?? false;
}

/** An entry with the present size of a file. */
export async function describeFile(name: string, path: string): Promise<ArchiveEntry> {
  return { name, size: (await stat(path)).size, content: { path } };
}

export function describeBytes(name: string, content: string | Uint8Array): ArchiveEntry {
  const bytes = Buffer.from(content);
  return { name, size: bytes.length, content: { bytes } };
}

async function ignoreMissing<Value>(work: Promise<Value>): Promise<Value | null> {
  try {
    return await work;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
