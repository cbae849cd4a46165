import { Readable, Writable } from 'node:stream';
import type { CliContext, CliInput, CliOutput } from '../../src/cli/context.ts';
import { runProgram } from '../../src/cli/run-program.ts';
import type { Clock } from '../../src/domain/time/clock.ts';
import { systemClock } from '../../src/domain/time/clock.ts';

/** The result of one run of the command line. */
export interface CliRun {
  code: number;
  stdout: string;
  /** The exact bytes of `stdout`. */
  bytes: Buffer;
  stderr: string;
}

/** The environment of one run. It is simulated, so that runs see neither the machine nor each other. */
export interface CliSurroundings {
  env?: Record<string, string>;
  cwd?: string;
  /** The service of the simulated machine; none if omitted. */
  server?: CliContext['server'];
  stdin?: CliInput | string | Buffer;
  /** Columns of a terminal on standard output; no terminal if omitted. */
  columns?: number;
  clock?: Clock;
  newId?: () => string;
  /** Called with each wait instead of waiting. */
  onSleep?: (ms: number) => void | Promise<void>;
  /** Simulates Ctrl-C. */
  interrupt?: AbortSignal;
  /** Simulates a closed pipe. */
  outputClosed?: AbortSignal;
}

/** Runs the program in this process, as `src/main.ts` does in a separate one. */
export async function runCli(argv: readonly string[], surroundings: CliSurroundings = {}): Promise<CliRun> {
  const stdout = collect(surroundings.columns);
  const stderr = collect();
  const never = new AbortController().signal;
  const context: CliContext = {
    stdin: openInput(surroundings.stdin ?? ''),
    stdout: stdout.stream,
    stderr: stderr.stream,
    // A profile of the user who runs the tests must not matter.
    env: { XDG_CONFIG_HOME: '/nonexistent', ...surroundings.env },
    cwd: surroundings.cwd ?? '/nonexistent',
    server: surroundings.server ?? null,
    clock: surroundings.clock ?? systemClock,
    newId: surroundings.newId ?? (() => 'send_1'),
    sleep: async (ms) => surroundings.onSleep?.(ms),
    catchInterrupts: () => surroundings.interrupt ?? never,
    handleSignals: () => () => {},
    leave: () => {},
    hasTerminal: () => false,
    terminalJob: { isForeground: () => false, signal: () => {} },
    outputClosed: surroundings.outputClosed ?? never,
  };
  const code = await runProgram(argv, context);
  const bytes = stdout.bytes();
  return { code, bytes, stdout: bytes.toString('utf8'), stderr: stderr.bytes().toString('utf8') };
}

function openInput(input: CliInput | string | Buffer): CliInput {
  return typeof input === 'string' || Buffer.isBuffer(input) ? Readable.from([Buffer.from(input)]) : input;
}

function collect(columns?: number): { stream: CliOutput; bytes: () => Buffer } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  const terminal = columns === undefined ? {} : { isTTY: true, columns };
  return { stream: Object.assign(stream, terminal), bytes: () => Buffer.concat(chunks) };
}
