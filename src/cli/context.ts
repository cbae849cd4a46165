import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createIdSource } from '../domain/ids.ts';
import { MASTER_KEY_VARIABLE, SYSTEMD_VARIABLES } from '../domain/runs/reserved-variables.ts';
import type { Clock } from '../domain/time/clock.ts';
import { systemClock } from '../domain/time/clock.ts';
import { type TerminalJob, terminalJob } from './terminal-job.ts';

/** A stream that commands read from. Only terminals have `setRawMode`. */
export type CliInput = NodeJS.ReadableStream & { isTTY?: boolean; setRawMode?(on: boolean): unknown };

/** A stream that commands write to. Only terminals have `columns` and `rows`, their size. */
export type CliOutput = NodeJS.WritableStream & { isTTY?: boolean; columns?: number; rows?: number };

/** Where a service of the machine has its configuration and its data. */
interface ServerPlace {
  configFile: string;
  dataDir: string;
}

/** The service of a machine, as the units in `deploy/systemd/` make it. */
const SYSTEMD_PLACE: ServerPlace = {
  configFile: '/etc/dockbell/dockbell.yaml',
  dataDir: '/var/lib/dockbell',
};

/** Everything outside the program that a command uses, so that tests can run commands in their own process. */
export interface CliContext {
  stdin: CliInput;
  stdout: CliOutput;
  stderr: CliOutput;
  env: Readonly<Record<string, string | undefined>>;
  /** Folder that relative paths start from. */
  cwd: string;
  /** Where a daemon would be a service of this machine; `null` on systems without such a place. */
  server: ServerPlace | null;
  clock: Clock;
  /** A new delivery ID for `send`. */
  newId(): string;
  /** Resolves after `ms`, or immediately when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** After the call, Ctrl-C, SIGTERM and SIGHUP abort the returned signal. A second one ends the process. */
  catchInterrupts(): AbortSignal;
  /** Is there a terminal that controls the process? */
  hasTerminal(): boolean;
  /** The job of the shell that the process is part of. */
  terminalJob: TerminalJob;
  /**
   * Calls `handle` for each of the signals that concern a daemon, which then have no other effect. The returned function
   * ends that: the next signal ends the process.
   */
  handleSignals(handle: (signal: DaemonSignal) => void): () => void;
  /** Ends the process of a daemon that has stopped, although a library still waits for a server that does not answer. */
  leave(code: number): void;
  /** Are failures written to standard error as JSON? Set by `--json`, `-o json` and `-o yaml`. */
  jsonErrors?: boolean;
  /** Aborted when standard output can no longer be written: nobody reads it (`| head`), or the disk is full. */
  outputClosed: AbortSignal;
}

/**
 * The context of the real process. A closed pipe is not reported. Other write errors are reported in one sentence, with
 * exit code 1.
 */
export function createProcessContext(process: NodeJS.Process): CliContext {
  const ids = createIdSource(randomBytes);
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: takeEnvironment(process),
    cwd: process.cwd(),
    // On Windows, any user can create these folders.
    server: process.platform === 'win32' ? null : SYSTEMD_PLACE,
    clock: systemClock,
    newId: () => `send_${ids.deliveryId(systemClock.wallMs()).slice('dlv_'.length)}`,
    sleep: sleepUnlessAborted,
    catchInterrupts: () => catchInterrupts(process),
    hasTerminal,
    terminalJob,
    handleSignals: (handle) => handleSignals(process, handle),
    leave: (code) => process.exit(code),
    outputClosed: watchOutput(process),
  };
}

/**
 * Copies the environment. Deletes the master key and the variables of systemd from that of the process: threads, child
 * processes and diagnostic reports of Node.js copy it. `/proc/<pid>/environ` still contains the initial environment.
 */
function takeEnvironment({ env }: NodeJS.Process): CliContext['env'] {
  const taken = { ...env };
  for (const name of [MASTER_KEY_VARIABLE, ...SYSTEMD_VARIABLES]) delete env[name];
  return taken;
}

/** Resolves after `ms`, or immediately when `signal` aborts. */
export async function sleepUnlessAborted(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
    if (!signal?.aborted) throw error;
  });
}

/** npm forwards a Ctrl-C that its child already received from the terminal, so a second one within this time is ignored. */
const SAME_SIGNAL_MS = 500;

/** `SIGHUP` also comes from a terminal or an SSH session that closes. */
type DaemonSignal = (typeof STOP_SIGNALS)[number];

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function catchInterrupts(process: NodeJS.Process): AbortSignal {
  const controller = new AbortController();
  const onSignal = () => {
    controller.abort();
    setTimeout(stopListening, SAME_SIGNAL_MS).unref();
  };
  // Without a listener, the second signal ends the process, as is the default.
  const stopListening = () => {
    for (const name of STOP_SIGNALS) process.off(name, onSignal);
  };
  for (const name of STOP_SIGNALS) process.on(name, onSignal);
  return controller.signal;
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

function handleSignals(process: NodeJS.Process, handle: (signal: DaemonSignal) => void): () => void {
  let interruptedAt = Number.NEGATIVE_INFINITY;
  const onSignal = (signal: NodeJS.Signals) => {
    const isRepeated = signal === 'SIGINT' && performance.now() - interruptedAt < SAME_SIGNAL_MS;
    if (signal === 'SIGINT') interruptedAt = performance.now();
    if (!isRepeated) handle(signal as DaemonSignal);
  };
  for (const name of STOP_SIGNALS) process.on(name, onSignal);
  return () => {
    for (const name of STOP_SIGNALS) process.off(name, onSignal);
  };
}

function watchOutput(process: NodeJS.Process): AbortSignal {
  const controller = new AbortController();
  const onError = (error: NodeJS.ErrnoException) => {
    if (controller.signal.aborted) return;
    controller.abort();
    const isTerminalClosed = error.code === 'EIO' && (process.stdout.isTTY || process.stderr.isTTY);
    if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED' || isTerminalClosed) return;
    // The command has ended or is about to end by the signal, so its own exit code is overwritten.
    process.on('exit', () => {
      process.exitCode = 1;
    });
    process.stderr.write(`The output cannot be written (${error.code}): free disk space, or check the output file.\n`);
  };
  process.stdout.on('error', onError);
  process.stderr.on('error', onError);
  return controller.signal;
}
