import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Makes the content of a file, or the entries of a folder, durable. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
