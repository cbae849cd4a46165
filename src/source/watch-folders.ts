import { type FSWatcher, watch } from 'node:fs';
import type { CancelCall } from '../core/time/schedule.ts';
import type { SourceClock } from './start-polling.ts';

export interface FolderWatch {
  clock: SourceClock;
  /** Is a change of this name relevant? Called only for the first folder. */
  isMeant(name: string): boolean;
  onChange: () => void;
}

/** Editors save in several steps. Changes are reported when none has followed for this time. */
const QUIET_MS = 20;
/** Changes without a pause are reported after this time. */
const MAX_WAIT_MS = 200;

/**
 * Watches folders, not their subfolders: one watch for each folder and none for files, so that 5,000 folders cost little.
 * The caller lists the folders again after each report. Only an additional report is possible, never a missing one, as
 * long as the file system reports events.
 */
export class FolderWatcher {
  readonly #watch: FolderWatch;
  readonly #folders = new Map<string, FSWatcher>();
  #isClosed = false;
  #cancelReport: CancelCall | null = null;
  #firstAtMs = 0;

  constructor(watch: FolderWatch) {
    this.#watch = watch;
  }

  /** Watches exactly these folders, the first one being the root. Reports a change if one is new: it may have changed before. */
  follow([root, ...folders]: readonly string[]): void {
    if (this.#isClosed || root === undefined) return;
    const wanted = new Set([root, ...folders]);
    for (const [folder, watcher] of this.#folders) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.#folders.delete(folder);
    }
    let hasNew = false;
    for (const folder of wanted) {
      if (this.#folders.has(folder)) continue;
      hasNew = true;
      this.#add(folder, folder === root ? this.#watch.isMeant : () => true);
    }
    if (hasNew) this.#reportSoon();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelReport?.();
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  #add(folder: string, isMeant: (name: string) => boolean): void {
    try {
      const watcher = watch(folder, (_event, name) => {
        if (name === null || isMeant(name)) this.#reportSoon();
      });
      // The folder was deleted, or the system has no watches left. It is added again by the next `follow`.
      watcher.on('error', () => this.#drop(folder));
      this.#folders.set(folder, watcher);
    } catch {
      // Deleted since it was listed, or no watches are left: then the polling of the caller remains.
    }
  }

  #drop(folder: string): void {
    this.#folders.get(folder)?.close();
    this.#folders.delete(folder);
    this.#reportSoon();
  }

  #reportSoon(): void {
    if (this.#isClosed) return;
    const nowMs = performance.now();
    if (this.#cancelReport === null) this.#firstAtMs = nowMs;
    else if (nowMs - this.#firstAtMs > MAX_WAIT_MS) return;
    this.#cancelReport?.();
    this.#cancelReport = this.#watch.clock.schedule(QUIET_MS, () => {
      this.#cancelReport = null;
      this.#watch.onChange();
    });
  }
}
