import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import type { CancelCall } from '../../domain/time/schedule.ts';
import type { SourceClock } from './start-polling.ts';

interface FolderWatch {
  /** Absolute path. */
  root: string;
  clock: SourceClock;
  /** Is a change of this name in the root relevant? */
  isMeant(name: string): boolean;
  onChange: (changes: FolderChanges) => void;
}

/** Paths that may have changed, each with everything below it. `null`: any path may have changed. */
export type FolderChanges = ReadonlySet<string> | null;

/** Editors save in several steps. Changes are reported when none has followed for this time. */
const QUIET_MS = 20;
/** Changes without a pause are reported after this time. */
const MAX_WAIT_MS = 200;
/** More changes together are reported as `null`. */
const MAX_PATHS = 50;

/**
 * Watches a folder and the folders in it that the caller names: one watch for each folder and none for files, so that 5,000
 * folders cost little. More can be reported than has changed, but never less, as long as the file system reports events.
 */
export class FolderWatcher {
  readonly #watch: FolderWatch;
  readonly #folders = new Map<string, FSWatcher>();
  #changed: Set<string> | null = new Set();
  #cancelReport: CancelCall | null = null;
  #firstAtMs = 0;
  #isClosed = false;

  constructor(watch: FolderWatch) {
    this.#watch = watch;
    this.#add('');
  }

  /** Watches exactly these folders. Reports those that are new: their content may have changed before. */
  follow(folders: ReadonlySet<string>): void {
    for (const folder of this.#folders.keys()) if (folder !== '' && !folders.has(folder)) this.#remove(folder);
    for (const folder of folders) {
      if (!this.#folders.has(folder) && this.#add(folder)) this.#note(folder);
    }
    if (!this.#folders.has('') && this.#add('')) this.#note(null);
  }

  /** The root does not exist. It is watched again by the next `follow`. */
  forget(): void {
    for (const folder of this.#folders.keys()) this.#remove(folder);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelReport?.();
    this.forget();
  }

  /** Returns whether the folder is watched now. */
  #add(folder: string): boolean {
    if (this.#isClosed) return false;
    try {
      const watcher = watch(join(this.#watch.root, folder), (event, name) => this.#hear(folder, event, name));
      watcher.on('error', () => {
        this.#remove(folder);
        this.#note(null);
      });
      this.#folders.set(folder, watcher);
      return true;
    } catch {
      // Deleted since it was listed, or the system has no watches left: then the polling of the caller remains.
      return false;
    }
  }

  #remove(folder: string): void {
    this.#folders.get(folder)?.close();
    this.#folders.delete(folder);
  }

  #hear(folder: string, event: string, name: string | null): void {
    if (name !== null && folder === '' && !this.#watch.isMeant(name)) return;
    const path = [folder, name ?? ''].filter((part) => part !== '').join('/');
    if (event === 'rename') this.#removeReplaced(path);
    this.#note(path === '' ? null : path);
  }

  /** A folder that was deleted, and maybe created again: its watch is of the deleted one. */
  #removeReplaced(path: string): void {
    if (!this.#folders.has(path)) return;
    for (const folder of this.#folders.keys()) {
      if (folder === path || folder.startsWith(`${path}/`)) this.#remove(folder);
    }
  }

  #note(path: string | null): void {
    if (path === null || this.#changed?.size === MAX_PATHS) this.#changed = null;
    else this.#changed?.add(path);
    this.#reportSoon();
  }

  #reportSoon(): void {
    if (this.#isClosed) return;
    const nowMs = performance.now();
    if (this.#cancelReport === null) this.#firstAtMs = nowMs;
    else if (nowMs - this.#firstAtMs > MAX_WAIT_MS) return;
    this.#cancelReport?.();
    this.#cancelReport = this.#watch.clock.schedule(QUIET_MS, () => {
      const changed = this.#changed;
      this.#cancelReport = null;
      this.#changed = new Set();
      this.#watch.onChange(changed);
    });
  }
}
