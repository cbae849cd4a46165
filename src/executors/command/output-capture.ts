import { closeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { openLogToAppend } from '../log/log-file.ts';
import { createLogSink } from '../log/log-sink.ts';
import { type OutputPipe, openOutputPipe } from './output-pipe.ts';
import type { RunUser } from './run-user.ts';

/** A process that left its group may hold the pipe open for ever; the end of a run does not wait for it. */
const OUTPUT_END_MS = 1000;

export interface CaptureOptions {
  /** Where the pipe is made; the path is free again once it is open. */
  pipePath: string;
  searchPath: string;
  /** Owns the pipe, so that a script may open `/dev/stderr`; `null`: this process. */
  user: RunUser | null;
  /** Is appended to. */
  logFile: string;
  /** Text before the output. */
  header: string;
  limitBytes: number;
  mask: Transform;
  /** Told when the log cannot be written or the mask fails. The command goes on; its further output is dropped. */
  onFailure: (error: unknown) => void;
}

/** The way of a command's output into its log: pipe, mask, limit, file. Nothing reaches the file past the mask. */
export interface OutputCapture {
  /** File descriptor for the command's standard output and standard error. */
  writeEnd: number;
  /** Writes the header, then what comes. A log without it stays as it was. */
  begin(): void;
  /** Closes our copy of it, once the command has its own; there is no end of the output before. May be called again. */
  releaseWriteEnd(): void;
  /** Resolves when the output has ended, or a moment later where somebody still holds it open, and is on disk. */
  finish(): Promise<void>;
}

export async function captureOutput(options: CaptureOptions): Promise<OutputCapture> {
  const log = await openLogToAppend(options.logFile);
  const pipe = await openPipe(log, options);
  let captured: Promise<void> | null = null;
  let released = false;
  return {
    writeEnd: pipe.writeEnd,
    begin: () => {
      captured ??= carryOutput(pipe.output, log, options);
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

async function openPipe(log: FileHandle, { pipePath, searchPath, user }: CaptureOptions): Promise<OutputPipe> {
  try {
    return await openOutputPipe(pipePath, searchPath, user);
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** Never rejects: what goes wrong here must not end the command. */
async function carryOutput(output: Readable, log: FileHandle, options: CaptureOptions): Promise<void> {
  const { mask, header, limitBytes, onFailure } = options;
  output.once('error', () => mask.end());
  const sink = createLogSink(log, limitBytes - Buffer.byteLength(header));
  try {
    await log.writeFile(header);
    output.pipe(mask);
    await pipeline(mask, sink);
  } catch (error) {
    onFailure(error);
    sink.destroy();
    // Somebody has to go on reading, or the command waits for room in the pipe until its deadline.
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
