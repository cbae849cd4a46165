import { closeSync } from 'node:fs';
import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { createLogSink } from '../log/log-sink.ts';
import type { OpenLog } from '../log/open-run-log.ts';
import { type OutputPipe, openOutputPipe } from './output-pipe.ts';
import type { RunUser } from './run-user.ts';

/** A process that left its group may keep the pipe open forever; the end of a run does not wait for it. */
const OUTPUT_END_MS = 1000;

export interface CaptureOptions {
  /** Path of the pipe; free again once the pipe is open. */
  pipePath: string;
  searchPath: string;
  /** Owner of the pipe, so that a script can open `/dev/stderr`; `null` for the user of this process. */
  user: RunUser | null;
  /** The log to append to. It is closed at the end, also if the capture fails. */
  log: OpenLog;
  /** Text before the output. */
  header: string;
  limitBytes: number;
  mask: Transform;
  /** Called if the log cannot be written or the mask fails. The command continues; its further output is discarded. */
  onFailure: (error: unknown) => void;
}

/** Captures the output of a command: pipe, mask, limit, file. Only masked output reaches the file. */
export interface OutputCapture {
  /** As `OpenLog.offset`. */
  logOffset: number | null;
  /** File descriptor for the command's standard output and standard error. */
  writeEnd: number;
  /** Writes the header, then the output. Without this call the log stays unchanged. */
  begin(): void;
  /** Closes our copy of the write end, once the command has its copy; otherwise the output never ends. Idempotent. */
  releaseWriteEnd(): void;
  /** Resolves when the output has ended, or after a short wait if a process keeps it open, and is on disk. */
  finish(): Promise<void>;
}

export async function captureOutput(options: CaptureOptions): Promise<OutputCapture> {
  const { log } = options;
  const pipe = await openPipe(options);
  let captured: Promise<void> | null = null;
  let released = false;
  return {
    logOffset: log.offset,
    writeEnd: pipe.writeEnd,
    begin: () => {
      captured ??= copyOutput(pipe.output, options);
    },
    releaseWriteEnd: () => {
      if (!released) closeSync(pipe.writeEnd);
      released = true;
    },
    finish: async () => {
      if (captured === null) {
        pipe.output.destroy();
        return log.close();
      }
      await waitAtMost(captured, OUTPUT_END_MS);
      pipe.output.unpipe(options.mask);
      options.mask.end();
      await captured;
      pipe.output.destroy();
    },
  };
}

async function openPipe({ log, pipePath, searchPath, user }: CaptureOptions): Promise<OutputPipe> {
  try {
    return await openOutputPipe(pipePath, searchPath, user);
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** Never rejects: a failure here must not end the command. */
async function copyOutput(output: Readable, options: CaptureOptions): Promise<void> {
  const { mask, log, header, limitBytes, onFailure } = options;
  output.once('error', () => mask.end());
  const sink = createLogSink(log, limitBytes);
  try {
    sink.write(header);
    output.pipe(mask);
    await pipeline(mask, sink);
  } catch (error) {
    onFailure(error);
    sink.destroy();
    // The pipe must still be read, or the command blocks on a full pipe until its deadline.
    output.unpipe(mask);
    output.resume();
  }
}

async function waitAtMost(promise: Promise<void>, ms: number): Promise<void> {
  const enough = new AbortController();
  const limit = wait(ms, undefined, { signal: enough.signal }).catch(() => undefined);
  await Promise.race([promise, limit]);
  enough.abort();
}
