import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Writes a file to the disk, or the entries of a folder. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
