import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import type { CancelCall } from '../../domain/time/schedule.ts';
import { TaskQueue } from '../../domain/time/task-queue.ts';
import { realPathOf, resolveLocalRepository } from './local-repository.ts';
import { type SourceClock, startPolling } from './start-polling.ts';

/** What to watch. */
interface RepositoryWatch {
  /** The configured path: a work tree, a bare repository, or a path that does not exist yet. */
  path: string;
  branch: string;
  clock: SourceClock;
  /** Interval between checks without an event, for file systems that report no events. */
  recheckIntervalMs: number;
  onChange: () => void;
}

/** Changes within this time are reported once. */
const BURST_MS = 50;

/** The state of a branch as the file system shows it. */
interface BranchState {
  /** Changes if the branch may have moved. */
  signature: string;
  /** Changes if other paths have to be watched. */
  layout: string;
  /** Paths whose changes may move the branch, and every folder above them. */
  watched: Set<string>;
  /** Existing folders above all watched paths. */
  roots: string[];
}

/**
 * Watches one branch of a repository on this machine: its loose ref, `packed-refs`, a reftable, and the creation and
 * deletion of the repository. An event only starts a comparison of states, so lost or additional events do no harm.
 * Reports once when the watch is ready, because changes before that were not seen.
 */
export class RepositoryWatcher {
  readonly #watch: RepositoryWatch;
  #files: FSWatcher | null = null;
  #layout = '';
  #signature: string | null = null;
  #cancelBurst: CancelCall | null = null;
  readonly #cancelRecheck: CancelCall;
  readonly #looks = new TaskQueue();
  #isClosed = false;

  constructor(watch: RepositoryWatch) {
    this.#watch = watch;
    this.#cancelRecheck = startPolling(
      watch.clock,
      watch.recheckIntervalMs,
      () => 0,
      () => this.#lookSoon(),
    );
    this.#look();
  }

  /** Stops watching; nothing is reported afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRecheck();
    this.#cancelBurst?.();
    await this.#looks.whenIdle();
    await this.#files?.close();
  }

  #lookSoon(): void {
    if (this.#isClosed || this.#cancelBurst !== null) return;
    this.#cancelBurst = this.#watch.clock.schedule(BURST_MS, () => {
      this.#cancelBurst = null;
      this.#look();
    });
  }

  #look(): void {
    void this.#looks.run(() => this.#compare());
  }

  async #compare(): Promise<void> {
    const { path, branch, onChange } = this.#watch;
    if (this.#isClosed) return;
    const state = await readBranchState(path, branch);
    await this.#follow(state);
    const before = this.#signature;
    this.#signature = state.signature;
    if (before !== state.signature && before !== null && !this.#isClosed) onChange();
  }

  /** Watches other paths if the kind of the repository changed, or if it or a folder of its refs was created or replaced. */
  async #follow(state: BranchState): Promise<void> {
    if (this.#isClosed || state.layout === this.#layout) return;
    const isFirst = this.#layout === '';
    this.#layout = state.layout;
    await this.#files?.close();
    this.#files = watchPaths(state, () => this.#lookSoon());
    // The branch may have moved since the state was read: the next look compares again.
    this.#files.once('ready', () => {
      if (isFirst) this.#signature = '';
      this.#lookSoon();
    });
  }
}

function watchPaths(state: BranchState, onEvent: () => void): FSWatcher {
  const allowed = new Set([...state.watched, ...state.roots]);
  const files = watch(state.roots, {
    ignored: (path) => !allowed.has(path),
    ignoreInitial: true,
    followSymlinks: true,
    ignorePermissionErrors: true,
  });
  // If watching fails (for example, too many watches), the interval remains.
  files.on('all', onEvent).on('error', onEvent);
  // chokidar misses a folder that is replaced in one step, but the old folder reports its own move.
  return files.on('raw', (_event, _name, details) => {
    if (!state.roots.includes((details as { watchedPath: string }).watchedPath)) onEvent();
  });
}

async function readBranchState(path: string, branch: string): Promise<BranchState> {
  const repository = await resolveLocalRepository(path);
  const commonDir = repository === null ? null : await realPathOf(repository.commonDir);
  const files = commonDir === null ? [] : refFiles(commonDir, branch);
  const fingerprints = await Promise.all(files.map(fingerprint));
  const bases = [...new Set([path, await realPathOf(path), ...(commonDir === null ? [] : [commonDir])])];
  const targets = [...bases.flatMap(repositoryMarks), ...files];
  const roots = await Promise.all(bases.map((base) => nearestFolder(dirname(base))));
  const watched = new Set(targets.flatMap((target) => pathsDownTo(target, roots)));
  const folders = await Promise.all([...roots, ...watched].map(identifyFolder));
  return {
    signature: JSON.stringify([commonDir, ...fingerprints]),
    layout: JSON.stringify([roots, [...watched], folders]),
    watched,
    roots: [...new Set(roots)],
  };
}

/** The inode of a folder: another folder with the same name has another inode. */
async function identifyFolder(path: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch(() => null);
  return found?.isDirectory() ? `${found.dev}:${found.ino}` : null;
}

/** Paths that show whether a repository exists at a path. */
function repositoryMarks(path: string): string[] {
  return [path, join(path, '.git'), join(path, 'HEAD'), join(path, 'objects'), `${path}.git`];
}

function refFiles(commonDir: string, branch: string): string[] {
  return [
    join(commonDir, 'refs', 'heads', branch),
    join(commonDir, 'packed-refs'),
    join(commonDir, 'reftable', 'tables.list'),
  ];
}

/** The content of a loose ref; for a file with many refs, the attributes that its replacement changes. */
async function fingerprint(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => null);
  if (found === null || !found.isFile()) return '-';
  const text = found.size <= 1024n ? await readFile(file, 'latin1').catch(() => '-') : '';
  return `${found.ino}:${found.size}:${found.mtimeNs}:${text}`;
}

async function nearestFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() || path === dirname(path) ? path : nearestFolder(dirname(path));
}

/** The path itself and every folder between it and one of the roots. */
function pathsDownTo(path: string, roots: readonly string[]): string[] {
  const paths: string[] = [];
  for (let current = path; !roots.includes(current) && current !== dirname(current); current = dirname(current)) {
    paths.push(current);
  }
  return paths;
}
