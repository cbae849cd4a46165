import type { FileHandle } from 'node:fs/promises';
import type { LogTime } from '../../../../domain/ports/executor.ts';
import type { Logger } from '../../../../domain/ports/logger.ts';
import { type LogSource, MAX_PART_BYTES, type RunLogParts } from '../../../../domain/ports/run-files.ts';
import { pause, retryWithBackoff } from '../../../../domain/time/backoff.ts';
import { openLogToRead } from '../log-file.ts';
import { readLogTimes } from '../log-times.ts';
import type { UnsentFiles } from './unsent-logs.ts';

/** Shortest time between the beginnings of two transmissions, and the time that readers wait for new output. */
const SEND_PAUSE_MS = 1000;

export interface SenderParts {
  parts: Pick<RunLogParts, 'append' | 'received'>;
  logger: Logger;
  /** Aborted when the daemon ends. A few more attempts follow, and the files remain. */
  stopping: AbortSignal;
}

/**
 * Sends the output of an attempt from its file to the storage that all daemons read, while the file grows. If the storage
 * is not available, it tries again: the file keeps the output.
 */
export class OutputSender {
  readonly #source: LogSource;
  readonly #log: FileHandle;
  readonly #times: FileHandle | null;
  readonly #parts: SenderParts;
  readonly #finishing = new AbortController();
  /** Number of bytes of the file that the storage has; `null` if that is not known. */
  #sent: number | null = null;
  #isWanted = false;
  #sending: Promise<void> | null = null;
  #nextAt = 0;
  #outcome: 'unsent' | 'sent' | 'closed' = 'sent';

  private constructor(source: LogSource, log: FileHandle, times: FileHandle | null, parts: SenderParts) {
    this.#source = source;
    this.#log = log;
    this.#times = times;
    this.#parts = parts;
  }

  /** `null` if the log does not exist. A run that replaces the files later changes nothing: they are open. */
  static async open(source: LogSource, files: UnsentFiles, parts: SenderParts): Promise<OutputSender | null> {
    const log = await openLogToRead(files.log);
    if (log === null) return null;
    return new OutputSender(source, log, await openLogToRead(files.times), parts);
  }

  /** The file has more output. */
  noteWritten(): void {
    this.#isWanted = true;
    this.#sending ??= this.#sendWhileWanted().finally(() => {
      this.#sending = null;
    });
  }

  /**
   * Sends the rest of the file. Never rejects. `closed`: the log takes no output of this attempt any more. `unsent`: the
   * daemon ends before the storage has everything.
   */
  async finish(): Promise<'sent' | 'closed' | 'unsent'> {
    this.#finishing.abort();
    this.noteWritten();
    while (this.#sending !== null) await this.#sending;
    await Promise.all([this.#log.close(), this.#times?.close()]);
    return this.#outcome;
  }

  async #sendWhileWanted(): Promise<void> {
    while (this.#isWanted && this.#outcome !== 'closed') {
      await pause(Math.max(0, this.#nextAt - performance.now()), this.#finishing.signal);
      this.#isWanted = false;
      this.#nextAt = performance.now() + SEND_PAUSE_MS;
      this.#outcome = await this.#sendRest();
    }
  }

  async #sendRest(): Promise<'unsent' | 'sent' | 'closed'> {
    for (;;) {
      const sent = await retryWithBackoff(
        () => this.#sendPiece(),
        this.#parts.stopping,
        (error, failures) => this.#noteFailure(error, failures),
      );
      if (sent === null) return 'unsent';
      if (sent.value !== 'more') return sent.value;
    }
  }

  async #sendPiece(): Promise<'more' | 'sent' | 'closed'> {
    const { parts } = this.#parts;
    const from = this.#sent ?? (await parts.received(this.#source));
    // After a failure, the storage may have the piece.
    this.#sent = null;
    const { bytesRead, buffer } = await this.#log.read(Buffer.alloc(MAX_PART_BYTES), 0, MAX_PART_BYTES, from);
    const position = from + bytesRead;
    if (bytesRead > 0) {
      const bytes = buffer.subarray(0, bytesRead);
      const times = await this.#readTimes(from, position);
      const { outcome } = await parts.append({ ...this.#source, bytes, after: from, position, times });
      if (outcome === 'closed') return 'closed';
      if (outcome === 'changed') return 'more';
    }
    this.#sent = position;
    return bytesRead === MAX_PART_BYTES ? 'more' : 'sent';
  }

  /** The output is worth more than its times. */
  async #readTimes(from: number, to: number): Promise<LogTime[]> {
    if (this.#times === null) return [];
    const times = await readLogTimes(this.#times, from, Number.POSITIVE_INFINITY).catch(() => []);
    return times
      .filter(({ offset }) => offset < to)
      .map(({ offset, atMs }) => ({ offset: Math.max(0, offset - from), atMs }));
  }

  #noteFailure(error: unknown, failures: number): void {
    const { run, attempt } = this.#source;
    // One line for each interruption: until it ends, every run of this machine has the same problem.
    if (failures === 1)
      this.#parts.logger.warn({ err: error, run, attempt }, 'storing output of a run failed, retrying');
  }
}
