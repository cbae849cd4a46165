import { Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { OpenLog } from './open-run-log.ts';

/** Size limit of one log. */
export const LOG_LIMIT_BYTES = 10 * 1024 * 1024;
/** Space reserved for the final mark, so that it stays within the limit. */
export const MARK_BYTES = 160;
/** Pause after each discarded chunk: a command with too much output must not use all processor time of the daemon. */
const DROP_PAUSE_MS = 1;

/**
 * Writes captured output to a log, at most `limitBytes` including the final mark, with the times of its parts, and closes the
 * log at the end. Output after the limit is counted and discarded: a command with too much output is slowed down, but never
 * stopped.
 *
 * A write error does not stop the command either: the rest is discarded, and the error is reported at the end.
 */
export function createLogSink(log: OpenLog, limitBytes: number): Writable {
  const { file, times } = log;
  let end = log.size;
  let room = Math.max(0, limitBytes - MARK_BYTES);
  let dropped = 0;
  let failure: unknown = null;
  let timesFailure: unknown = null;

  async function keep(chunk: Uint8Array): Promise<void> {
    const fits = dropped > 0 ? 0 : cutAtCharacter(chunk, room);
    dropped += chunk.length - fits;
    room -= fits;
    if (fits > 0) await append(chunk.subarray(0, fits));
    if (dropped > 0) await wait(DROP_PAUSE_MS);
  }

  async function append(bytes: Uint8Array): Promise<void> {
    if (failure !== null) return;
    await times.note(end).catch(failTimes);
    await file.writeFile(bytes).catch(fail);
    end += bytes.length;
    log.noteWritten();
  }

  async function finish(): Promise<void> {
    if (dropped > 0) await append(Buffer.from(describeCut(limitBytes, dropped)));
    await Promise.all([file.datasync().catch(fail), times.sync().catch(failTimes)]);
    await log.close().catch(fail);
    const problem = failure ?? timesFailure;
    if (problem !== null) throw problem;
  }

  function fail(error: unknown): void {
    failure ??= error;
  }

  /** The output is still written: it is worth more than its times. */
  function failTimes(error: unknown): void {
    timesFailure ??= error;
  }

  return new Writable({
    write: (chunk: Uint8Array, _encoding, done) => void keep(chunk).then(() => done(), done),
    final: (done) => void finish().then(() => done(), done),
    // If the stream was destroyed, `final` did not run. Closing a closed file does nothing.
    destroy: (error, done) =>
      void log.close().then(
        () => done(error),
        () => done(error),
      ),
  });
}

/** The part of an output that fits into a log of `LOG_LIMIT_BYTES` after `size` bytes, with the final mark if that is not all. */
export function limitOutput(output: Uint8Array, size: number): Uint8Array {
  const room = LOG_LIMIT_BYTES - MARK_BYTES - size;
  // The log is full and already contains the mark.
  if (room < 0) return new Uint8Array();
  const fits = cutAtCharacter(output, room);
  if (fits === output.length) return output;
  return Buffer.concat([output.subarray(0, fits), Buffer.from(describeCut(LOG_LIMIT_BYTES, output.length - fits))]);
}

/** Number of bytes of the chunk that fit, without cutting a UTF-8 character. */
function cutAtCharacter(chunk: Uint8Array, room: number): number {
  if (chunk.length <= room) return chunk.length;
  let end = room;
  while (end > 0 && room - end < 3 && (chunk[end]! & 0xc0) === 0x80) end--;
  return end;
}

function describeCut(limitBytes: number, dropped: number): string {
  return `\n[dockbell: the log ends here, at its limit of ${limitBytes} bytes; ${dropped} more bytes were dropped]\n`;
}
