import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { RunId } from '../../../domain/ids.ts';
import type { RunLogReader, RunLogWriter } from '../../../domain/ports/executor.ts';
import type { Run } from '../../../domain/resources/run.ts';
import { type Clock, formatInstant } from '../../../domain/time/clock.ts';
import { runLogFile, runTimesFile } from '../files/run-paths.ts';
import { openLogToRead } from './log-file.ts';
import { createLogSink, LOG_LIMIT_BYTES, MARK_BYTES } from './log-sink.ts';
import { readLogTimes } from './log-times.ts';
import { openRunLog } from './open-run-log.ts';

/** Reads captured output from `<logsDir>/<run>.log` and `<run>.times`. Throws `bad_request` for a malformed run ID. */
export function createRunLogReader(logsDir: string): RunLogReader {
  return {
    read: async (run, offset, limit) => {
      const read = async (file: FileHandle) => {
        const { size } = await file.stat();
        return readRange(file, offset, Math.max(0, Math.min(limit, size - offset)));
      };
      return readFrom(runLogFile(logsDir, run), read);
    },
    times: async (run, offset, limit) => {
      const entries = await readFrom(runTimesFile(logsDir, run), (file) => readLogTimes(file, offset, limit));
      return entries ?? [];
    },
  };
}

/** `null` if the file does not exist. */
async function readFrom<T>(path: string, read: (file: FileHandle) => Promise<T>): Promise<T | null> {
  const file = await openLogToRead(path);
  if (file === null) return null;
  try {
    return await read(file);
  } finally {
    await file.close();
  }
}

/** The line before each later attempt of a run; empty for the first. */
export function renderAttemptMark(run: Run, clock: Clock): string {
  return run.attempt > 1 ? `\n[dockbell: attempt ${run.attempt}, ${formatInstant(clock.wallMs())}]\n` : '';
}

/** Appends to the log of a run, at most `LOG_LIMIT_BYTES` in all. Throws `bad_request` for a malformed ID. */
export function createRunLogWriter(logsDir: string, clock: Clock): RunLogWriter {
  const append = (run: Run, text: string, isNewAttempt: boolean) =>
    appendText(logsDir, run.id, text, { isNewAttempt, clock });
  return {
    begin: async (run) => (run.attempt === 1 ? 0 : append(run, renderAttemptMark(run, clock), true)),
    append: async (run, text) => {
      if (text !== '') await append(run, text, false);
    },
  };
}

/** Resolves with the size of the log before the text. */
async function appendText(
  logsDir: string,
  run: RunId,
  text: string,
  options: Parameters<typeof openRunLog>[2],
): Promise<number> {
  const log = await openRunLog(logsDir, run, options);
  // The log is full and already contains the mark.
  if (log.size > LOG_LIMIT_BYTES - MARK_BYTES) await log.close();
  else await pipeline([Buffer.from(text)], createLogSink(log, LOG_LIMIT_BYTES - log.size));
  return log.size;
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
