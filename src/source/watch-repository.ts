import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import type { CancelCall } from '../core/time/schedule.ts';
import { TaskQueue } from '../core/time/task-queue.ts';
import { realPathOf, resolveLocalRepository } from './local-repository.ts';
import { type SourceClock, startPolling } from './start-polling.ts';

/** What to watch, and whom to tell. */
export interface RepositoryWatch {
  /** The path as configured; it may name a work tree, a bare repository or nothing yet. */
  path: string;
  branch: string;
  clock: SourceClock;
  /** How often to look without having been told, for file systems that tell nothing. */
  recheckIntervalMs: number;
  onChange: () => void;
}

/** Changes within this time are told once. */
const BURST_MS = 50;

/** The state of a branch as the file system shows it. */
interface BranchState {
  /** Differs whenever the branch may have moved. */
  signature: string;
  /** Differs whenever what there is to watch is no longer what was watched. */
  layout: string;
  /** Paths whose changes may move it, and every folder on the way to them. */
  watched: Set<string>;
  /** Existing folders above everything that is watched. */
  roots: string[];
}

/**
 * Watches one branch of a repository on this machine: its loose ref, `packed-refs`, a reftable, and the coming and
 * going of the repository itself. Events only wake it; what it tells is decided by comparing states, so that neither
 * a lost nor a surplus event matters. Tells once when the watch stands, because nobody looked before.
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

  /** Ends all watching; nothing is told afterwards. */
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

  /** Watches anew when the repository has become another kind, or it or a folder of its refs has come, gone or been replaced. */
  async #follow(state: BranchState): Promise<void> {
    if (this.#isClosed || state.layout === this.#layout) return;
    const isFirst = this.#layout === '';
    this.#layout = state.layout;
    await this.#files?.close();
    this.#files = watchPaths(state, () => this.#lookSoon());
    // Between reading the state and now anything may have happened; the next look tells.
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
  // A watch that fails (too many watches, say) leaves the look by the clock.
  files.on('all', onEvent).on('error', onEvent);
  // A folder that is replaced in one step stays "the same" to chokidar, but the one that left saw itself leave.
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

/** A folder's number in its file system: another folder under the same name has another. */
async function identifyFolder(path: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch(() => null);
  return found?.isDirectory() ? `${found.dev}:${found.ino}` : null;
}

/** What tells whether a repository stands at a path. */
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

/** The content of a loose ref, and for a list of many refs what its replacement changes. */
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
