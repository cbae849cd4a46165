import { AppError } from '../../domain/errors.ts';
import type { BackupControl, BackupProgress, BackupRequest, OpenBackup } from '../../domain/ports/operations.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { measureArchive, writeArchive } from './archive/write-archive.ts';
import { type BackupSource, type StagedBackup, stageBackup } from './stage-backup.ts';

/** The backup that is being made, until its files are removed. */
interface CurrentBackup {
  progress: BackupProgress;
  /** Its client has left. */
  aborted: AbortSignal;
  /** Its last byte was read, or its files are being removed. */
  isDone: boolean;
  ended: Promise<void>;
}

/** Backups of a running daemon: one at a time, so that they never use more space than one copy of the database. */
export class OnlineBackups implements Pick<BackupControl, 'open'> {
  readonly #source: BackupSource;
  readonly #clock: Pick<Clock, 'wallMs'>;
  readonly #stopping = new AbortController();
  #current: CurrentBackup | null = null;

  constructor(source: BackupSource, clock: Pick<Clock, 'wallMs'>) {
    this.#source = source;
    this.#clock = clock;
  }

  /** How far the current backup is; `null` if none is being made that somebody waits for, so that one can be opened. */
  get running(): BackupProgress | null {
    const current = this.#current;
    return current === null || isUnneeded(current) ? null : current.progress;
  }

  /** Waits for a backup whose client no longer needs it. Throws `conflict` if another one is being made. */
  async open(request: BackupRequest, signal: AbortSignal): Promise<OpenBackup> {
    const before = this.#current;
    if (before !== null && isUnneeded(before)) await before.ended;
    if (this.#stopping.signal.aborted) throw new AppError('shutting_down', 'the daemon is stopping');
    if (this.#current !== null)
      throw new AppError('conflict', 'Another backup is being made. Try again when it has ended.');
    let end!: () => void;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const aborted = AbortSignal.any([signal, this.#stopping.signal]);
    const progress: BackupProgress = { phase: 'copying', doneBytes: 0, totalBytes: 0 };
    const current: CurrentBackup = { progress, aborted, isDone: false, ended };
    this.#current = current;
    const release = () => {
      this.#current = null;
      end();
    };
    try {
      const staged = await stageBackup(this.#source, request, {
        nowMs: this.#clock.wallMs(),
        signal: aborted,
        onProgress: (now) => {
          current.progress = now;
        },
      });
      return this.#openStaged(staged, current, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Aborts the current backup and waits until its files are removed. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#current?.ended;
  }

  #openStaged(staged: StagedBackup, current: CurrentBackup, release: () => void): OpenBackup {
    const bytes = measureArchive(staged.entries);
    const discard = () => {
      current.isDone = true;
      return staged.remove().finally(release);
    };
    let discarding: Promise<void> | null = null;
    return {
      name: nameBackup(staged.createdAtMs),
      bytes,
      content: this.#read(staged, current, bytes),
      discard: () => {
        discarding ??= discard();
        return discarding;
      },
    };
  }

  async *#read(staged: StagedBackup, current: CurrentBackup, totalBytes: number): AsyncGenerator<Uint8Array> {
    let doneBytes = 0;
    for await (const piece of writeArchive(staged.entries, staged.createdAtMs)) {
      if (this.#stopping.signal.aborted) throw new AppError('shutting_down', 'the daemon is stopping');
      doneBytes += piece.length;
      current.progress = { phase: 'writing', doneBytes, totalBytes };
      // A client that has the last byte may ask for the next backup before the end of this stream.
      current.isDone = doneBytes === totalBytes;
      yield piece;
    }
  }
}

/** Nobody waits for it any more, so that the next one can be opened when its files are removed. */
function isUnneeded({ isDone, aborted }: CurrentBackup): boolean {
  return isDone || aborted.aborted;
}

/** `dockbell-20261123T050000Z.tar` */
export function nameBackup(atMs: number): string {
  return `dockbell-${formatFileTime(atMs)}.tar`;
}

/** `20261123T050000Z`, which sorts by time. */
export function formatFileTime(atMs: number): string {
  return new Date(atMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
}
