import type { RunId } from '../../../../domain/ids.ts';
import type { RunLogReader, RunLogWriter } from '../../../../domain/ports/executor.ts';
import type { Logger } from '../../../../domain/ports/logger.ts';
import type { LogOrigin, RunLogParts } from '../../../../domain/ports/run-files.ts';
import type { Run } from '../../../../domain/resources/run.ts';
import { pause } from '../../../../domain/time/backoff.ts';
import type { Clock } from '../../../../domain/time/clock.ts';
import { workOnEach } from '../../../../domain/work-on-each.ts';
import { limitOutput } from '../log-sink.ts';
import { type OpenLog, openLogFiles } from '../open-run-log.ts';
import { renderAttemptMark } from '../run-log.ts';
import type { RunLogs } from '../run-logs.ts';
import { limitLogSpace } from './limit-log-space.ts';
import { folderOfRun, type LogObjects } from './log-objects.ts';
import { OutputSender } from './output-sender.ts';
import { createSharedLogReader } from './shared-log-reader.ts';
import { listUnsent, removeUnsent, type UnsentAttempt, unsentFiles } from './unsent-logs.ts';

/** The end of an attempt is recorded after this time at the latest, also if the storage does not have all output. */
const MAX_END_MS = 10_000;

interface SharedLogOptions {
  parts: RunLogParts;
  /** For parts that no longer change; `null` to keep them in the database. */
  objects: LogObjects | null;
  /** Folder of the output that the storage does not have yet. */
  unsentDir: string;
  /** Reads logs that the storage does not have, because they are older than it. */
  earlier: RunLogReader;
  clock: Clock;
  logger: Logger;
}

/** Logs in a storage that several daemons share. An attempt writes to files, and a sender copies them to the storage. */
export class SharedRunLogs implements RunLogs {
  readonly reader: RunLogs['reader'];
  readonly writer: RunLogs['writer'];
  readonly shared: RunLogs['shared'];
  readonly #options: SharedLogOptions;
  readonly #stopping = new AbortController();
  /** The files that are sent until everything is stored. */
  readonly #ending = new Set<Promise<void>>();

  constructor(options: SharedLogOptions) {
    const { parts, objects, clock } = options;
    this.#options = options;
    this.reader = createSharedLogReader(options);
    this.writer = createSharedLogWriter(parts, clock);
    const remove = async (run: RunId) => {
      await objects?.removeAll(folderOfRun(run));
      // Last: while it has rows, a removal that failed is repeated.
      await parts.remove(run);
    };
    this.shared = {
      orphans: parts.orphans,
      remove,
      limitSpace: (limit) => limitLogSpace({ parts, remove, clock }, limit),
    };
  }

  openOutput = async ({ id, attempt }: Run): Promise<OpenLog> => {
    const { unsentDir, clock } = this.#options;
    const unsent = { run: id, attempt };
    const log = await openLogFiles(unsentFiles(unsentDir, unsent), { isNewAttempt: true, clock });
    const sender = await this.#openSender(unsent);
    let closing: Promise<void> | null = null;
    const close = async () => {
      await log.close();
      await Promise.race([this.#end(unsent, sender), pause(MAX_END_MS, this.#stopping.signal)]);
    };
    return {
      ...log,
      offset: null,
      noteWritten: () => sender?.noteWritten(),
      close: () => {
        closing ??= close();
        return closing;
      },
    };
  };

  /** Sends what an earlier daemon left behind. Never rejects. Output that the storage does not take delays no other. */
  async sendEarlier(): Promise<void> {
    const { unsentDir, logger } = this.#options;
    const noteFailure = (error: unknown, unsent?: UnsentAttempt) =>
      logger.error(
        { err: error, ...unsent },
        'storing earlier output of runs failed, the next start of the daemon repeats it',
      );
    const ending: Promise<void>[] = [];
    const begin = async (unsent: UnsentAttempt) => {
      if (!this.#stopping.signal.aborted) ending.push(this.#end(unsent, await this.#openSender(unsent)));
    };
    await listUnsent(unsentDir).then((found) => workOnEach(found, begin, noteFailure), noteFailure);
    await Promise.all(ending);
  }

  /** Resolves when nothing is sent any more. The next start sends what is left. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#ending);
  }

  #openSender(unsent: UnsentAttempt): Promise<OutputSender | null> {
    const { parts, unsentDir, logger } = this.#options;
    const files = unsentFiles(unsentDir, unsent);
    return OutputSender.open({ ...unsent, origin: 'executor' }, files, {
      parts,
      logger,
      stopping: this.#stopping.signal,
    });
  }

  #end(unsent: UnsentAttempt, sender: OutputSender | null): Promise<void> {
    const ending = this.#sendRest(unsent, sender).finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
    return ending;
  }

  /** Never rejects. The files are deleted when everything is stored. */
  async #sendRest(unsent: UnsentAttempt, sender: OutputSender | null): Promise<void> {
    const { unsentDir, logger } = this.#options;
    try {
      const outcome = (await sender?.finish()) ?? 'sent';
      if (outcome === 'closed') logger.warn({ ...unsent }, 'output of an earlier attempt not stored');
      if (outcome !== 'unsent') await removeUnsent(unsentDir, unsent);
    } catch (error) {
      logger.warn({ err: error, ...unsent }, 'removing stored output of a run failed');
    }
  }
}

/** Appends to logs in the storage that several daemons share, at most `LOG_LIMIT_BYTES` in all. */
function createSharedLogWriter(parts: Pick<RunLogParts, 'append' | 'received' | 'size'>, clock: Clock): RunLogWriter {
  /** Resolves with the size of the log before the text. */
  const append = async ({ id: run, attempt }: Run, origin: LogOrigin, text: string, position: number | null) => {
    const size = (await parts.size(run)) ?? 0;
    const bytes = limitOutput(Buffer.from(text), size);
    if (bytes.length === 0) return size;
    const times = [{ offset: 0, atMs: clock.wallMs() }];
    const appended = await parts.append({ run, attempt, origin, bytes, after: null, position, times });
    return appended.outcome === 'appended' ? appended.offset : size;
  };
  return {
    begin: async (run) => (run.attempt === 1 ? 0 : append(run, 'daemon', renderAttemptMark(run, clock), null)),
    append: async (run, text, position) => {
      await append(run, position === undefined ? 'daemon' : 'holder', text, position ?? null);
    },
    received: ({ id: run, attempt }) => parts.received({ run, attempt, origin: 'holder' }),
  };
}
