import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { RunLogReader, RunLogWriter } from '../../core/ports/runs/executor.ts';
import type { Run } from '../../core/resources/run.ts';
import { type Clock, formatInstant } from '../../core/time/clock.ts';
import { makeFolder } from '../../files/make-folder.ts';
import { runLogFile } from '../files/run-paths.ts';
import { openLogToAppend, openLogToRead } from './log-file.ts';
import { createLogSink, LOG_LIMIT_BYTES, MARK_BYTES } from './log-sink.ts';

/** Reads captured output from `<logsDir>/<run>.log`. Throws `bad_request` for a malformed run ID. */
export function createRunLogReader(logsDir: string): RunLogReader {
  return {
    read: async (run, offset, limit) => {
      const file = await openLogToRead(runLogFile(logsDir, run));
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

/** The line before each later attempt of a run; empty for the first. */
export function renderAttemptMark(run: Run, clock: Clock): string {
  return run.attempt > 1 ? `\n[dockbell: attempt ${run.attempt}, ${formatInstant(clock.wallMs())}]\n` : '';
}

/** Appends to `<logsDir>/<run>.log`, at most `LOG_LIMIT_BYTES` in all. Throws `bad_request` for a malformed ID. */
export function createRunLogWriter(logsDir: string, clock: Clock): RunLogWriter {
  return {
    begin: async (run) => (run.attempt === 1 ? 0 : appendText(logsDir, run, renderAttemptMark(run, clock))),
    append: async (run, text) => {
      if (text !== '') await appendText(logsDir, run, text);
    },
  };
}

/** Resolves with the size of the log before the text. */
async function appendText(logsDir: string, run: Run, text: string): Promise<number> {
  const path = runLogFile(logsDir, run.id);
  await makeFolder(logsDir, { mode: 0o700 });
  const file = await openLogToAppend(path);
  const { size } = await file.stat();
  // The log is full and already contains the mark.
  if (size > LOG_LIMIT_BYTES - MARK_BYTES) await file.close();
  else await pipeline([Buffer.from(text)], createLogSink(file, LOG_LIMIT_BYTES - size));
  return size;
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
