import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, systemErrorCode } from '../../domain/errors.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { BackupSchedule } from '../../domain/ports/operations.ts';
import type { Clock } from '../../domain/time/clock.ts';
import type { Schedule } from '../../domain/time/schedule.ts';
import { workOnEach } from '../../domain/work-on-each.ts';
import { readOrCreateId } from '../../platform/files/id-file.ts';
import { makeFolder } from '../../platform/files/make-folder.ts';
import { Loop } from '../../platform/loop.ts';
import { formatFileTime, type OnlineBackups } from './online-backups.ts';
import { storeBackup } from './store-backup.ts';

/** A long timer would not count the sleep of the machine. */
const CHECK_INTERVAL_MS = 60_000;
const RETRY_MS = 15 * 60_000;
/** Time that a backup may be late before the condition begins. */
const GRACE_MS = 60 * 60_000;
const REQUEST = { logs: false, includeKey: false };

/** The `backup` of the configuration. */
export interface BackupPolicy {
  everyMs: number;
  keep: number;
  dir: string;
}

interface ScheduledBackupParts {
  policy: BackupPolicy;
  backups: Pick<OnlineBackups, 'open'>;
  /** File with the ID in the names of this daemon's backups. */
  idFile: string;
  clock: Clock;
  logger: Logger;
  schedule?: Schedule;
}

/** A stored backup of this daemon. */
interface StoredBackup {
  name: string;
  at: number;
  bytes: number;
}

/**
 * Stores backups in a folder at an interval, and removes the oldest ones. The names of the files contain an ID of the data
 * directory, so that daemons can share a folder. The time of the last backup is read from the names, also after a restart.
 */
export class ScheduledBackups {
  readonly #parts: ScheduledBackupParts;
  readonly #loop: Loop;
  readonly #startedAt: number;
  #id: string | null = null;
  #last: StoredBackup | null = null;
  #lastFailure: BackupSchedule['lastFailure'] = null;
  /** The monotonic time before which no attempt is made. */
  #notBeforeMs = 0;

  constructor(parts: ScheduledBackupParts) {
    this.#parts = parts;
    this.#startedAt = parts.clock.wallMs();
    this.#loop = new Loop({
      turn: async (ending) => {
        await this.#check(ending);
        return CHECK_INTERVAL_MS;
      },
      onFailure: (error) => this.#noteFailure(error),
      backoff: { firstMs: CHECK_INTERVAL_MS, maxMs: CHECK_INTERVAL_MS },
      schedule: parts.schedule,
    });
  }

  /** Finds the last backup, so that `status` knows it from the beginning. A failure is found again at the first check. */
  async load(): Promise<void> {
    this.#last = (await this.#list().catch(() => []))[0] ?? null;
  }

  /** Makes a backup now if one is due, and then looks again at an interval. */
  start(): void {
    this.#loop.start();
  }

  /** Aborts a backup that is being made. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** As of the last check. */
  status(): BackupSchedule {
    const { everyMs, keep, dir } = this.#parts.policy;
    const last = this.#last;
    return {
      everyMs,
      keep,
      dir,
      lastSuccess: last === null ? null : { at: last.at, file: join(dir, last.name), bytes: last.bytes },
      lastFailure: this.#lastFailure,
      nextAt: last === null ? this.#startedAt : last.at + everyMs,
    };
  }

  /** Since when a backup is overdue; `null` if none is. */
  findOverdue(): number | null {
    const { everyMs } = this.#parts.policy;
    const dueAt = (this.#last?.at ?? this.#startedAt - everyMs) + everyMs + GRACE_MS;
    return this.#parts.clock.wallMs() > dueAt ? dueAt : null;
  }

  async #check(ending: AbortSignal): Promise<void> {
    this.#last = (await this.#list())[0] ?? null;
    if (this.#parts.clock.monotonicMs() >= this.#notBeforeMs && this.#isDue()) await this.#makeBackup(ending);
  }

  #noteFailure(error: unknown): void {
    if (!this.#loop.isRunning) return;
    const { clock, logger, policy } = this.#parts;
    this.#lastFailure = { at: clock.wallMs(), problem: messageOf(error) };
    this.#notBeforeMs = clock.monotonicMs() + Math.min(RETRY_MS, policy.everyMs);
    logger.error({ problem: messageOf(error) }, 'scheduled backup failed');
  }

  /** A backup from the future shows that the clock was set: `#notBeforeMs` then keeps the interval. */
  #isDue(): boolean {
    const now = this.#parts.clock.wallMs();
    return this.#last === null || this.#last.at > now || now - this.#last.at >= this.#parts.policy.everyMs;
  }

  async #makeBackup(ending: AbortSignal): Promise<void> {
    const { policy, backups, clock, logger } = this.#parts;
    const startedMs = clock.monotonicMs();
    await makeFolder(policy.dir, { mode: 0o700, isDurable: true });
    const id = await this.#readId();
    await this.#removeUnfinished(id);
    const backup = await backups.open(REQUEST, ending);
    const name = `dockbell-${id}-${formatFileTime(clock.wallMs())}.tar`;
    try {
      const onProgress = () => ending.throwIfAborted();
      await storeBackup(join(policy.dir, name), backup.content, { force: false, onProgress });
    } finally {
      await backup.discard();
    }
    this.#notBeforeMs = startedMs + policy.everyMs;
    const stored = await this.#list();
    this.#last = stored.find((one) => one.name === name) ?? null;
    const durationMs = Math.round(clock.monotonicMs() - startedMs);
    logger.info({ file: join(policy.dir, name), bytes: backup.bytes, durationMs }, 'backup stored');
    await this.#removeOldest(stored, name);
  }

  /** The new backup is kept also if the clock was set back. */
  async #removeOldest(stored: readonly StoredBackup[], newest: string): Promise<void> {
    const { policy, logger } = this.#parts;
    const others = stored.filter(({ name }) => name !== newest);
    const old = others.slice(policy.keep - 1).map(({ name }) => join(policy.dir, name));
    const remove = async (file: string) => {
      await rm(file, { force: true });
      logger.info({ file }, 'old backup removed');
    };
    await workOnEach(old, remove, this.#logKept);
  }

  /** A daemon that was killed left them: nothing else stores backups with this ID. */
  async #removeUnfinished(id: string): Promise<void> {
    const { dir } = this.#parts.policy;
    const names = (await readdir(dir)).filter((name) => name.startsWith(`dockbell-${id}-`) && name.endsWith('.tmp'));
    const remove = (file: string) => rm(file, { force: true });
    await workOnEach(
      names.map((name) => join(dir, name)),
      remove,
      this.#logKept,
    );
  }

  /** A file that cannot be removed does not make a stored backup a failed one, and does not prevent the next one. */
  #logKept = (error: unknown, file: string): void => {
    this.#parts.logger.error({ file, problem: messageOf(error) }, 'old backup not removed');
  };

  /** The backups of this daemon, the most recent first. */
  async #list(): Promise<StoredBackup[]> {
    const { dir } = this.#parts.policy;
    const pattern = new RegExp(
      `^dockbell-${await this.#readId()}-(\\d{4})(\\d{2})(\\d{2})T(\\d{2})(\\d{2})(\\d{2})Z\\.tar$`,
    );
    const names = await readdir(dir).catch((error) => {
      if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) return [];
      throw error;
    });
    const stored: StoredBackup[] = [];
    for (const name of names.sort().reverse()) {
      const [, year, month, day, hour, minute, second] = pattern.exec(name)?.map(Number) ?? [];
      const found = year === undefined ? null : await stat(join(dir, name)).catch(() => null);
      if (!found?.isFile()) continue;
      stored.push({ name, at: Date.UTC(year!, month! - 1, day, hour, minute, second), bytes: found.size });
    }
    return stored;
  }

  async #readId(): Promise<string> {
    this.#id ??= await readOrCreateId(this.#parts.idFile);
    return this.#id;
  }
}
