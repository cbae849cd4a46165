import { AppError } from '../core/errors.ts';
import type { BackupControl, BackupProgress, BackupRequest, OpenBackup } from '../core/ports/backup-control.ts';
import type { Clock } from '../core/time/clock.ts';
import { measureArchive, writeArchive } from './archive/write-archive.ts';
import { type BackupSource, type StagedBackup, stageBackup } from './stage-backup.ts';

/** Backups of a running daemon: one at a time, so that they never use more space than one copy of the database. */
export class OnlineBackups implements Pick<BackupControl, 'open'> {
  readonly #source: BackupSource;
  readonly #clock: Pick<Clock, 'wallMs'>;
  readonly #stopping = new AbortController();
  #running: BackupProgress | null = null;
  /** The backup is complete or given up, and its files are being removed. */
  #isDiscarding = false;
  #ended: Promise<void> = Promise.resolve();

  constructor(source: BackupSource, clock: Pick<Clock, 'wallMs'>) {
    this.#source = source;
    this.#clock = clock;
  }

  /** How far the current backup is; `null` if none is being made. */
  get running(): BackupProgress | null {
    return this.#running;
  }

  async open(request: BackupRequest, signal: AbortSignal): Promise<OpenBackup> {
    // The client of that backup has it already, and may have asked for this one.
    if (this.#isDiscarding) await this.#ended;
    if (this.#stopping.signal.aborted) throw new AppError('shutting_down', 'the daemon is stopping');
    if (this.#running !== null)
      throw new AppError('conflict', 'Another backup is being made. Try again when it has ended.');
    let end!: () => void;
    this.#ended = new Promise((resolve) => {
      end = resolve;
    });
    this.#running = { phase: 'copying', doneBytes: 0, totalBytes: 0 };
    const release = () => {
      this.#running = null;
      this.#isDiscarding = false;
      end();
    };
    try {
      const staged = await stageBackup(this.#source, request, {
        nowMs: this.#clock.wallMs(),
        signal: AbortSignal.any([signal, this.#stopping.signal]),
        onProgress: (progress) => {
          this.#running = progress;
        },
      });
      return this.#openStaged(staged, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Aborts the current backup and waits until its files are removed. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  #openStaged(staged: StagedBackup, release: () => void): OpenBackup {
    const bytes = measureArchive(staged.entries);
    let discarding: Promise<void> | null = null;
    const beginDiscarding = () => {
      this.#isDiscarding = true;
      return staged.remove().finally(release);
    };
    return {
      name: nameBackup(staged.createdAtMs),
      bytes,
      content: this.#read(staged, bytes),
      discard: () => {
        discarding ??= beginDiscarding();
        return discarding;
      },
    };
  }

  async *#read(staged: StagedBackup, totalBytes: number): AsyncGenerator<Uint8Array> {
    let doneBytes = 0;
    for await (const piece of writeArchive(staged.entries, staged.createdAtMs)) {
      if (this.#stopping.signal.aborted) throw new AppError('shutting_down', 'the daemon is stopping');
      doneBytes += piece.length;
      this.#running = { phase: 'writing', doneBytes, totalBytes };
      yield piece;
    }
  }
}

/** `dockbell-20261123T050000Z.tar` */
export function nameBackup(atMs: number): string {
  return `dockbell-${formatFileTime(atMs)}.tar`;
}

/** `20261123T050000Z`, which sorts by time. */
export function formatFileTime(atMs: number): string {
  return new Date(atMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}
