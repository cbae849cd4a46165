import { type FileHandle, open } from 'node:fs/promises';
import type { RunLogReader } from '../core/ports/executor.ts';
import { systemErrorCode } from './file-error.ts';
import { runLogFile } from './run-paths.ts';

/** Reads captured output from `<logsDir>/<run>.log`. Throws `bad_request` for what is not a run's identifier. */
export function createRunLogReader(logsDir: string): RunLogReader {
  return {
    read: async (run, offset, limit) => {
      const file = await openIfThere(runLogFile(logsDir, run));
      if (file === null) return null;
      try {
        const { size } = await file.stat();
        return await readRange(file, offset, Math.max(0, Math.min(limit, size - offset)));
      } finally {
        await file.close();
      }
    },
  };
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

async function readRange(file: FileHandle, offset: number, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await file.read(bytes, filled, size - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
