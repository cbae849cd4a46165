import { Writable } from 'node:stream';
import { RequestFailed } from '../../client/read-answer.ts';
import { CommandSession } from '../command-session.ts';
import type { CliOutput } from '../context.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { ChangedRows } from '../output/changed-rows.ts';
import { chooseFormat, type ResultOptions } from '../output/result-options.ts';
import { describeInterruption, followEvents, isFinal } from './read-events.ts';

export interface WatchOptions extends ResultOptions {
  watch?: boolean;
}

/** A command that prints a list. */
type PrintOnce<Options> = (session: CommandSession, options: Options) => Promise<number>;

/** Many events arrive together, and a person does not read faster. */
const MIN_INTERVAL_MS = 1000;
/** Ages on the screen change without an event. */
const REFRESH_MS = 10_000;
const HOME_AND_CLEAR = '\u001b[H\u001b[J';
const DEFAULT_ROWS = 24;

/**
 * With `--watch`: prints the list again for each event of the daemon, until Ctrl-C or until the output is closed. A terminal is
 * redrawn. Otherwise, and in formats for programs, only rows that are new or have changed are printed.
 *
 * @param factory `null` for the events of all factories
 */
export async function watchList<Options extends WatchOptions>(
  session: CommandSession,
  options: Options,
  { factory, print }: { factory: string | null; print: PrintOnce<Options> },
): Promise<number> {
  const { context } = session;
  const stopped = AbortSignal.any([context.catchInterrupts(), context.outputClosed]);
  const connection = await session.connection();
  const isScreen = context.stdout.isTTY === true && chooseFormat(options) === 'table';
  const show = isScreen ? createScreen(session, options, print) : createLog(session, options, print);
  await show.draw();
  const change = new Change();
  const events = followEvents({ connection, context, factory, stopped, onInterruption: show.note });
  const following = forEachEvent(events, () => change.report());
  try {
    while (!stopped.aborted) {
      const woken = new AbortController();
      const refresh = context.sleep(REFRESH_MS, AbortSignal.any([stopped, woken.signal]));
      await Promise.race([change.next(), following, refresh]).finally(() => woken.abort());
      await context.sleep(MIN_INTERVAL_MS, stopped);
      change.forget();
      if (!stopped.aborted) await show.draw().catch((error: unknown) => show.note(describePassing(error)));
    }
  } finally {
    await show.close();
  }
  return EXIT_CODES.done;
}

async function forEachEvent(events: AsyncIterable<unknown>, handle: () => void): Promise<void> {
  for await (const _event of events) handle();
}

/** Why the list cannot be read now. Throws errors that another attempt would not change. */
function describePassing(error: unknown): string {
  if (error instanceof RequestFailed && !isFinal(error)) return describeInterruption(error);
  if (error instanceof CliError && error.code === 'unreachable') return error.message;
  throw error;
}

/** Events that arrive while the list is read count as one. */
class Change {
  #isReported = false;
  #wake: () => void = () => undefined;

  report(): void {
    this.#isReported = true;
    this.#wake();
  }

  /** Resolves immediately if an event was reported since `forget`. */
  async next(): Promise<void> {
    if (!this.#isReported) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  forget(): void {
    this.#isReported = false;
  }
}

/** Where a list is shown again and again. */
interface Display {
  draw(): Promise<void>;
  /** Shows why the list may be outdated; `null` if it no longer is. */
  note(why: string | null): void;
  close(): Promise<void>;
}

/** Draws the list from the first line of the terminal on, as far as it fits. */
function createScreen<Options extends WatchOptions>(
  { context, globals }: CommandSession,
  options: Options,
  print: PrintOnce<Options>,
): Display {
  const { stdout } = context;
  const page = new PageBuffer(stdout);
  const hidden = new CommandSession({ ...context, stdout: page as CliOutput, stderr: page as CliOutput }, globals);
  let problem: string | null = null;
  let text = '';
  const show = () => {
    const note = problem === null ? '' : `Not up to date: ${problem}\n`;
    const lines = `${note}${text}`.trimEnd().split('\n');
    stdout.write(`${HOME_AND_CLEAR}${lines.slice(0, (stdout.rows || DEFAULT_ROWS) - 1).join('\n')}\n`);
  };
  return {
    draw: async () => {
      await print(hidden, options);
      text = page.take();
      problem = null;
      show();
    },
    note: (why) => {
      problem = why;
      show();
    },
    close: () => hidden.close(),
  };
}

/** Prints changed rows below each other. */
function createLog<Options extends WatchOptions>(
  session: CommandSession,
  options: Options,
  print: PrintOnce<Options>,
): Display {
  const changes = new ChangedRows();
  return {
    draw: async () => void (await print(session, { ...options, changes })),
    note: (why) => why !== null && session.output.note(`Not up to date: ${why}`),
    close: async () => undefined,
  };
}

/** Collects what a command prints for a terminal of the same width. */
class PageBuffer extends Writable {
  readonly isTTY = true;
  readonly #terminal: CliOutput;
  #text = '';

  constructor(terminal: CliOutput) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
  }

  get columns(): number {
    return this.#terminal.columns ?? 0;
  }

  override write(chunk: unknown): boolean {
    this.#text += String(chunk);
    return true;
  }

  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }
}
