import { createHash } from 'node:crypto';
import type { KnownFiles, SourceTree, TreeEntry } from '../../domain/definitions/source-tree.ts';
import type { DefinitionSource, SourceResult } from '../../domain/ports/sources.ts';
import { TaskQueue } from '../../domain/time/task-queue.ts';
import { readDirectoryTree, readPaths, type WalkedFolder } from './directory-source.ts';
import { DEFAULT_LIMITS, failed } from './source-limits.ts';
import { type SourceClock, startPolling, systemSourceClock } from './start-polling.ts';
import { READ_PATHS } from './tree-names.ts';
import { type FolderChanges, FolderWatcher } from './watch-folders.ts';

interface WorkTreeOptions {
  /** Folder of the factory: an absolute path. It does not have to be in a git repository. */
  dir: string;
  /** Interval between looks at the whole folder, for file systems that report no events. */
  pollIntervalMs: number;
  clock?: SourceClock;
}

/** The files of the folder at one moment, ordered by their paths. */
interface Snapshot {
  revision: string;
  tree: SourceTree;
  walked: WalkedFolder;
}

type Fetched = SourceResult<{ revision: string }>;

/**
 * Reads a definition from the files of a folder, saved but not necessarily committed (`dockbell dev`). A revision is the
 * digest of all files, so a file that was changed and changed back is the same revision. Only the latest one can be read.
 */
export function createWorkTreeSource(options: WorkTreeOptions): DefinitionSource {
  return new WorkTreeSource(options);
}

class WorkTreeSource implements DefinitionSource {
  readonly #options: WorkTreeOptions;
  readonly #looks = new TaskQueue();
  #last: Snapshot | null = null;
  /** A look whose result was reported as a change and that no fetch has used yet. */
  #reported: Fetched | null = null;
  /** What the last fetch or report found. */
  #state = '';
  #watcher: FolderWatcher | null = null;
  #stopPolling: (() => void) | null = null;

  constructor(options: WorkTreeOptions) {
    this.#options = options;
  }

  fetch(): Promise<Fetched> {
    return this.#looks.run(async () => {
      const fetched = this.#reported ?? (await this.#lookAtAll());
      this.#reported = null;
      this.#state = describeState(fetched);
      return fetched;
    });
  }

  async readTree(revision: string, known?: KnownFiles): Promise<SourceResult<{ tree: SourceTree }>> {
    if (this.#last?.revision !== revision) {
      return failed('RepositoryUnreachable', `${revision} is no longer the latest state of the folder.`);
    }
    const { tree } = this.#last;
    const entries = tree.entries.map((entry) => omitKnown(entry, known));
    return { ok: true, tree: { ...tree, entries } };
  }

  async describe(): Promise<null> {
    return null;
  }

  /** Nothing is rewritten: every state follows all earlier ones. */
  async contains(): Promise<'yes'> {
    return 'yes';
  }

  watch(onChange: () => void): void {
    const { dir, clock = systemSourceClock, pollIntervalMs } = this.#options;
    const look = (changes: FolderChanges) => void this.#looks.run(() => this.#look(changes, onChange));
    this.#watcher = new FolderWatcher({
      root: dir,
      clock,
      isMeant: (name) => READ_PATHS.includes(name),
      onChange: look,
    });
    if (this.#last !== null) this.#watcher.follow(this.#last.walked.folders);
    this.#stopPolling = startPolling(
      clock,
      pollIntervalMs,
      () => 0,
      () => look(null),
    );
  }

  async close(): Promise<void> {
    this.#watcher?.close();
    this.#stopPolling?.();
    await this.#looks.whenIdle();
  }

  async #look(changes: FolderChanges, onChange: () => void): Promise<void> {
    const fetched = (changes === null ? null : await this.#lookAt(changes)) ?? (await this.#lookAtAll());
    const state = describeState(fetched);
    if (state === this.#state) return;
    this.#state = state;
    this.#reported = fetched;
    onChange();
  }

  async #lookAtAll(): Promise<Fetched> {
    const earlier = this.#last?.walked;
    const read = await readDirectoryTree(this.#options.dir, earlier === undefined ? {} : { earlier });
    if (!read.ok) {
      this.#watcher?.forget();
      return read;
    }
    return this.#keep(read.tree, read.walked);
  }

  /** Reads only what changed. `null` if only a look at the whole folder can answer. */
  async #lookAt(changes: ReadonlySet<string>): Promise<Fetched | null> {
    const last = this.#last;
    if (last === null || last.tree.unusable !== undefined) return null;
    const paths = omitInner(changes);
    const read = await readPaths(this.#options.dir, paths);
    if (read === null) return null;
    const isKept = (path: string) => !paths.some((changed) => isInside(path, changed));
    const entries = [...last.tree.entries.filter(({ path }) => isKept(path)), ...read.entries];
    if (isOverLimit(entries)) return null;
    const { files, folders } = last.walked;
    for (const path of files.keys()) if (!isKept(path)) files.delete(path);
    for (const path of folders) if (!isKept(path)) folders.delete(path);
    for (const [path, file] of read.walked.files) files.set(path, file);
    for (const path of read.walked.folders) folders.add(path);
    return this.#keep({ ...last.tree, entries }, last.walked);
  }

  #keep(found: SourceTree, walked: WalkedFolder): Fetched {
    const entries = found.entries.sort((a, b) => (a.path < b.path ? -1 : 1));
    const tree = { ...found, entries };
    this.#last = { revision: digestTree(tree), tree, walked };
    this.#watcher?.follow(walked.folders);
    return { ok: true, revision: this.#last.revision };
  }
}

function describeState(fetched: Fetched): string {
  return fetched.ok ? fetched.revision : `${fetched.reason}: ${fetched.message}`;
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** Without paths that are below another one. */
function omitInner(paths: ReadonlySet<string>): string[] {
  const all = [...paths];
  return all.filter((path) => !all.some((other) => other !== path && isInside(path, other)));
}

/** The whole walk reports what is too much. */
function isOverLimit(entries: readonly TreeEntry[]): boolean {
  const bytes = entries.reduce((sum, entry) => sum + (entry.bytes?.length ?? 0), 0);
  return entries.length > DEFAULT_LIMITS.maxEntries || bytes > DEFAULT_LIMITS.maxTreeBytes;
}

/** Files that the caller knows are not copied to the thread that reads definitions. */
function omitKnown(entry: TreeEntry, known: KnownFiles | undefined): TreeEntry {
  if (entry.content !== 'read' || !known?.has(entry.path, entry.digest)) return entry;
  const { path, kind, size, digest } = entry;
  return { path, kind, size, digest, content: 'known', bytes: null };
}

function digestTree({ entries, unusable = [] }: SourceTree): string {
  const lines = entries.map(({ path, kind, digest }) => `${kind} ${digest} ${path}\0`);
  const others = unusable.map(({ file }) => `unusable ${file}\0`);
  const digest = createHash('sha256').update(lines.join('')).update(others.join('')).digest('hex');
  return `files-${digest.slice(0, 40)}`;
}
