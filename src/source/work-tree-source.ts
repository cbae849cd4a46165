import { createHash } from 'node:crypto';
import type { DefinitionSource, SourceResult } from '../core/ports/definitions/definition-source.ts';
import type { KnownFiles, SourceTree, TreeEntry } from '../core/source-tree.ts';
import { TaskQueue } from '../core/time/task-queue.ts';
import { readDirectoryTree, type WalkedFolder } from './directory-source.ts';
import { failed } from './source-limits.ts';
import { type SourceClock, startPolling, systemSourceClock } from './start-polling.ts';
import { DEFINITION_PATHS } from './tree-names.ts';
import { FolderWatcher } from './watch-folders.ts';

export interface WorkTreeOptions {
  /** Folder of the factory. It does not have to be in a git repository. */
  dir: string;
  /** Interval between looks without an event, for file systems that report no events. */
  pollIntervalMs: number;
  clock?: SourceClock;
}

/** The files of the folder at one moment. */
interface Snapshot {
  revision: string;
  tree: SourceTree;
  walked: WalkedFolder;
}

/**
 * Reads a definition from the files of a folder, saved but not necessarily committed (`dockbell dev`). A revision is the
 * digest of all files, so a file that was changed and changed back is the same revision. Only the latest one can be read.
 */
export function createWorkTreeSource(options: WorkTreeOptions): DefinitionSource {
  return new WorkTreeSource(options);
}

class WorkTreeSource implements DefinitionSource {
  readonly #options: WorkTreeOptions;
  readonly #walks = new TaskQueue();
  #last: Snapshot | null = null;
  /** A walk whose change was reported and that no fetch has used yet. */
  #reported: SourceResult<{ revision: string }> | null = null;
  #state = '';
  #watcher: FolderWatcher | null = null;
  #stopPolling: (() => void) | null = null;

  constructor(options: WorkTreeOptions) {
    this.#options = options;
  }

  fetch(): Promise<SourceResult<{ revision: string }>> {
    return this.#walks.run(async () => {
      const walked = this.#reported ?? (await this.#walk());
      this.#reported = null;
      this.#state = describeState(walked);
      return walked;
    });
  }

  async readTree(revision: string, known?: KnownFiles): Promise<SourceResult<{ tree: SourceTree }>> {
    if (this.#last?.revision !== revision) {
      return failed('RepositoryUnreachable', `${revision} is not the latest state of the folder any more.`);
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
    const { clock = systemSourceClock, pollIntervalMs } = this.#options;
    const look = () => void this.#walks.run(() => this.#look(onChange));
    this.#watcher = new FolderWatcher({ clock, isMeant: (name) => DEFINITION_PATHS.includes(name), onChange: look });
    if (this.#last !== null) this.#watcher.follow(this.#last.walked.folders);
    this.#stopPolling = startPolling(clock, pollIntervalMs, () => 0, look);
  }

  async close(): Promise<void> {
    this.#watcher?.close();
    this.#stopPolling?.();
    await this.#walks.whenIdle();
  }

  async #look(onChange: () => void): Promise<void> {
    const walked = await this.#walk();
    const state = describeState(walked);
    if (state === this.#state) return;
    this.#state = state;
    this.#reported = walked;
    onChange();
  }

  async #walk(): Promise<SourceResult<{ revision: string }>> {
    const { dir } = this.#options;
    const earlier = this.#last?.walked;
    const read = await readDirectoryTree(dir, earlier === undefined ? {} : { earlier });
    if (!read.ok) return read;
    const { tree, walked } = read;
    this.#last = { revision: digestTree(tree), tree, walked };
    this.#watcher?.follow(walked.folders);
    return { ok: true, revision: this.#last.revision };
  }
}

function describeState(walked: SourceResult<{ revision: string }>): string {
  return walked.ok ? walked.revision : `${walked.reason}: ${walked.message}`;
}

/** Files that the caller knows are not copied to the thread that reads definitions. */
function omitKnown(entry: TreeEntry, known: KnownFiles | undefined): TreeEntry {
  if (entry.content !== 'read' || !known?.has(entry.path, entry.digest)) return entry;
  const { path, kind, size, digest } = entry;
  return { path, kind, size, digest, content: 'known', bytes: null };
}

function digestTree({ entries, unusable = [] }: SourceTree): string {
  const hash = createHash('sha256');
  for (const { path, kind, digest } of entries) hash.update(`${kind} ${digest} ${path}\0`);
  for (const { file } of unusable) hash.update(`unusable ${file}\0`);
  return `files-${hash.digest('hex').slice(0, 40)}`;
}
