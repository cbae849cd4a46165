import type { FileHandle } from 'node:fs/promises';
import type { LogTime } from '../../../domain/ports/executor.ts';
import { type Clock, formatInstant } from '../../../domain/time/clock.ts';
import { openTimesToWrite } from './log-file.ts';

// The file has one line for each entry: an offset in the log with 16 digits, a space, and an instant. All lines have the same
// length, so an entry is found without reading the others, and the rest of an entry that a crash cut off is overwritten.
const LINE = /^(\d{16}) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\n$/;
const OFFSET_DIGITS = 16;
const LINE_BYTES = 42;

const MIN_PAUSE_MS = 1000;
/** After this number of entries, the pause between two entries is doubled: the size of the file grows with its logarithm. */
const ENTRIES_PER_PAUSE = 7_200;

export interface TimesToAppend {
  path: string;
  /** Size of the log. Entries from there on are of output that a crash has lost. */
  logBytes: number;
  /** The next output begins an attempt, so it gets an entry in any case. */
  isNewAttempt: boolean;
  clock: Clock;
}

/** Writes when parts of a log were written: at most one entry per second. */
export class LogTimesWriter {
  readonly #file: FileHandle;
  readonly #clock: Clock;
  #count: number;
  #lastMs: number | null;

  private constructor(file: FileHandle, clock: Clock, count: number, lastMs: number | null) {
    this.#file = file;
    this.#clock = clock;
    this.#count = count;
    this.#lastMs = lastMs;
  }

  static async open({ path, logBytes, isNewAttempt, clock }: TimesToAppend): Promise<LogTimesWriter> {
    const file = await openTimesToWrite(path);
    try {
      const count = await countUpTo(file, logBytes - 1);
      await file.truncate(count * LINE_BYTES);
      const last = isNewAttempt || count === 0 ? null : await readEntry(file, count - 1);
      return new LogTimesWriter(file, clock, count, last?.atMs ?? null);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Called before output is written at this offset. */
  async note(offset: number): Promise<void> {
    const atMs = this.#clock.wallMs();
    const pauseMs = MIN_PAUSE_MS * 2 ** Math.floor(this.#count / ENTRIES_PER_PAUSE);
    // A clock that was set back also ends the pause.
    if (this.#lastMs !== null && Math.abs(atMs - this.#lastMs) < pauseMs) return;
    const line = `${String(offset).padStart(OFFSET_DIGITS, '0')} ${formatInstant(atMs)}\n`;
    const { bytesWritten } = await this.#file.write(line, this.#count * LINE_BYTES);
    if (bytesWritten < LINE_BYTES) throw new Error('the disk has no space for the times of a log');
    this.#count += 1;
    this.#lastMs = atMs;
  }

  async sync(): Promise<void> {
    await this.#file.datasync();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** At most `limit` entries, beginning with the last one at or before `offset`. Other lines are ignored. */
export async function readLogTimes(file: FileHandle, offset: number, limit: number): Promise<LogTime[]> {
  const first = Math.max(0, (await countUpTo(file, offset)) - 1);
  const bytes = Buffer.alloc(Math.min(limit, (await countLines(file)) - first) * LINE_BYTES);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, first * LINE_BYTES);
  const entries: LogTime[] = [];
  for (let at = 0; at + LINE_BYTES <= bytesRead; at += LINE_BYTES) {
    const entry = parseEntry(bytes.toString('latin1', at, at + LINE_BYTES));
    if (entry !== null) entries.push(entry);
  }
  return entries;
}

/** Number of entries whose output begins at or before `offset`. */
async function countUpTo(file: FileHandle, offset: number): Promise<number> {
  let [from, to] = [0, await countLines(file)];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const entry = await readEntry(file, middle);
    if (entry !== null && entry.offset <= offset) from = middle + 1;
    else to = middle;
  }
  return from;
}

async function countLines(file: FileHandle): Promise<number> {
  return Math.floor((await file.stat()).size / LINE_BYTES);
}

async function readEntry(file: FileHandle, index: number): Promise<LogTime | null> {
  const { buffer } = await file.read(Buffer.alloc(LINE_BYTES), 0, LINE_BYTES, index * LINE_BYTES);
  return parseEntry(buffer.toString('latin1'));
}

/** `null` for anything but an entry: a run with the user of the daemon can change the file. */
function parseEntry(line: string): LogTime | null {
  const found = LINE.exec(line);
  if (found === null) return null;
  const [, offset, at] = found as unknown as [string, string, string];
  const entry = { offset: Number(offset), atMs: Date.parse(at) };
  return Number.isSafeInteger(entry.offset) && Number.isFinite(entry.atMs) ? entry : null;
}
