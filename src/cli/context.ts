import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createIdSource } from '../core/ids.ts';
import { MASTER_KEY_VARIABLE } from '../core/reserved-variables.ts';
import type { Clock } from '../core/time/clock.ts';
import { systemClock } from '../core/time/clock.ts';

/** A stream that commands read from. `setRawMode` is there on a terminal only. */
export type CliInput = NodeJS.ReadableStream & { isTTY?: boolean; setRawMode?(on: boolean): unknown };

/** A stream that commands write to. `columns` is the width of the terminal, where it is one. */
export type CliOutput = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

/** Everything of the outside world that a command may touch, so that tests run commands in their own process. */
export interface CliContext {
  stdin: CliInput;
  stdout: CliOutput;
  stderr: CliOutput;
  env: Readonly<Record<string, string | undefined>>;
  /** Folder that relative paths start from. */
  cwd: string;
  clock: Clock;
  /** A fresh delivery ID for `send`. */
  newId(): string;
  /** Resolves after `ms`, or at once when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** From now on Ctrl-C, SIGTERM and SIGHUP abort the returned signal instead of ending the process; a second one ends it. */
  catchInterrupts(): AbortSignal;
  /** Are failures written to standard error as JSON? Set by `--json`. */
  jsonErrors?: boolean;
  /** Aborted once standard output cannot be written any more: nobody reads it (`| head`), or the disk is full. */
  outputClosed: AbortSignal;
}

/**
 * The context of the real process. Writing to a closed pipe ends quietly; another failure to write is reported in one
 * sentence and makes the exit code 1.
 */
export function createProcessContext(process: NodeJS.Process): CliContext {
  const ids = createIdSource(randomBytes);
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: takeEnvironment(process),
    cwd: process.cwd(),
    clock: systemClock,
    newId: () => `send_${ids.deliveryId(systemClock.wallMs()).slice('dlv_'.length)}`,
    sleep: sleepUnlessAborted,
    catchInterrupts: () => catchInterrupts(process),
    outputClosed: watchOutput(process),
  };
}

/**
 * The environment without leaving the master key in it: threads, child processes and diagnostic reports of Node.js copy the
 * environment of the process. What the system shows in `/proc/<pid>/environ` stays as it was at the start.
 */
function takeEnvironment({ env }: NodeJS.Process): CliContext['env'] {
  const taken = { ...env };
  delete env[MASTER_KEY_VARIABLE];
  return taken;
}

/** Resolves after `ms`, or at once when `signal` aborts. */
export async function sleepUnlessAborted(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
    if (!signal?.aborted) throw error;
  });
}

/** npm passes a Ctrl-C on that its child has got from the terminal already: what follows at once is the same one. */
const SAME_SIGNAL_MS = 500;

/** A terminal or an SSH session that closes sends SIGHUP. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function catchInterrupts(process: NodeJS.Process): AbortSignal {
  const controller = new AbortController();
  const onSignal = () => {
    controller.abort();
    setTimeout(stopListening, SAME_SIGNAL_MS).unref();
  };
  // Without a listener the second signal ends the process the way the system does by default.
  const stopListening = () => {
    for (const name of STOP_SIGNALS) process.off(name, onSignal);
  };
  for (const name of STOP_SIGNALS) process.on(name, onSignal);
  return controller.signal;
}

function watchOutput(process: NodeJS.Process): AbortSignal {
  const controller = new AbortController();
  const onError = (error: NodeJS.ErrnoException) => {
    if (controller.signal.aborted) return;
    controller.abort();
    const isTerminalClosed = error.code === 'EIO' && (process.stdout.isTTY || process.stderr.isTTY);
    if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED' || isTerminalClosed) return;
    // The command has ended by then, or ends by the signal: its own exit code no longer counts.
    process.on('exit', () => {
      process.exitCode = 1;
    });
    process.stderr.write(
      `The output cannot be written (${error.code}): free space on the disk, or check where it goes.\n`,
    );
  };
  process.stdout.on('error', onError);
  process.stderr.on('error', onError);
  return controller.signal;
}
