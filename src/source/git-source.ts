import type {
  Ancestry,
  DefinitionSource,
  SourceFailed,
  SourceResult,
} from '../core/ports/definitions/definition-source.ts';
import type { SourceTree } from '../core/source-tree.ts';
import { TaskQueue } from '../core/time/task-queue.ts';
import { GitMirror } from './git-mirror.ts';
import type { Environment } from './git-process.ts';
import type { GitTreeResult } from './git-tree.ts';
import { refuseOldGit } from './git-version.ts';
import { parseRepositoryUrl, type RepositoryLocation } from './repository-url.ts';
import { DEFAULT_LIMITS, failed, type SourceLimits } from './source-limits.ts';
import { type SourceClock, startPolling, systemSourceClock } from './start-polling.ts';
import { parseFactoryFolder } from './tree-names.ts';
import { RepositoryWatcher } from './watch-repository.ts';

/** Where a factory's repository is and how it is read. */
export interface GitSourceOptions {
  /** https, ssh or file URL, `git@host:path`, or an absolute local path. */
  url: string;
  /** The production branch; no other is ever read. */
  branch: string;
  /** Folder of the factory in the repository, `.` for its root. */
  path: string;
  /** A folder of this source's own for its mirror, created on first use; what is in it may be deleted at any time. */
  mirrorDir: string;
  /** How often a remote repository is asked; a local one is watched. */
  pollIntervalMs: number;
  clock?: SourceClock;
  limits?: Partial<SourceLimits>;
  /** From where `PATH`, `HOME`, `SSH_AUTH_SOCK`, `GIT_SSH_COMMAND` and proxies are taken. Default: the daemon's own. */
  environment?: Environment;
}

/**
 * Reads a factory's definition from a git repository by way of a bare mirror. What goes wrong is answered with a
 * `SourceFailure`, never thrown; the URL is checked when the source is first asked (threat model G1 to G3, G5).
 */
export function createGitSource(options: GitSourceOptions): DefinitionSource {
  const url = parseRepositoryUrl(options.url);
  if (!url.ok) return createRefusedSource(failed('RepositoryRefused', url.message));
  const folder = parseFactoryFolder(options.path);
  if (!folder.ok) return createRefusedSource(folder);
  return new GitSource(options, url.location, folder.prefix);
}

/** A source whose configuration can never work says so each time it is asked. */
function createRefusedSource(failure: SourceFailed): DefinitionSource {
  return {
    fetch: async () => failure,
    readTree: async () => failure,
    contains: async () => 'unknown',
    watch: () => {},
    close: async () => {},
  };
}

class GitSource implements DefinitionSource {
  readonly #options: GitSourceOptions;
  readonly #location: RepositoryLocation;
  readonly #prefix: string;
  readonly #clock: SourceClock;
  readonly #mirror: GitMirror;
  readonly #abort = new AbortController();
  readonly #endings: (() => void | Promise<void>)[] = [];
  /** One operation at a time uses the mirror. */
  readonly #operations = new TaskQueue();
  #failures = 0;
  #isGitGood = false;

  constructor(options: GitSourceOptions, location: RepositoryLocation, prefix: string) {
    this.#options = options;
    this.#location = location;
    this.#prefix = prefix;
    this.#clock = options.clock ?? systemSourceClock;
    this.#mirror = new GitMirror({
      location,
      branch: options.branch,
      mirrorDir: options.mirrorDir,
      environment: options.environment ?? process.env,
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      signal: this.#abort.signal,
    });
  }

  fetch(): Promise<SourceResult<{ revision: string }>> {
    return this.#enqueue(async () => {
      const updated = (await this.#refuseOldGit()) ?? (await this.#mirror.update());
      this.#failures = updated.ok ? 0 : this.#failures + 1;
      return updated;
    });
  }

  readTree(revision: string): Promise<SourceResult<{ tree: SourceTree }>> {
    return this.#enqueue(async () => {
      if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(revision)) {
        return failed('RepositoryRefused', 'The revision to read is not the full id of a commit.');
      }
      const read = await this.#mirror.readTree(revision, this.#prefix);
      return isBroken(read) ? this.#readFromNewMirror(revision) : read;
    });
  }

  async contains(revision: string, earlier: string): Promise<Ancestry> {
    const answer = await this.#enqueue(async () => ({
      ok: true as const,
      ancestry: await this.#mirror.contains(revision, earlier),
    }));
    return answer.ok ? answer.ancestry : 'unknown';
  }

  /** Asked until the answer is good, then never again. */
  async #refuseOldGit(): Promise<SourceFailed | null> {
    if (this.#isGitGood) return null;
    const refusal = await refuseOldGit(this.#options.environment ?? process.env);
    this.#isGitGood = refusal === null;
    return refusal;
  }

  watch(onChange: () => void): void {
    if (this.#abort.signal.aborted) return;
    const { branch, pollIntervalMs } = this.#options;
    if (this.#location.kind === 'remote') {
      this.#endings.push(startPolling(this.#clock, pollIntervalMs, () => this.#failures, onChange));
      return;
    }
    const { path } = this.#location;
    const watch = { path, branch, clock: this.#clock, recheckIntervalMs: pollIntervalMs, onChange };
    const watcher = new RepositoryWatcher(watch);
    this.#endings.push(() => watcher.close());
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await Promise.all(this.#endings.splice(0).map((end) => end()));
    await this.#operations.whenIdle();
  }

  /** A damaged mirror is replaced once; a commit that the new one lacks is gone from the branch. */
  async #readFromNewMirror(revision: string): Promise<SourceResult<{ tree: SourceTree }>> {
    await this.#mirror.discard();
    const updated = await this.#mirror.update();
    if (!updated.ok) return updated;
    const read = await this.#mirror.readTree(revision, this.#prefix);
    if (!isBroken(read)) return read;
    const why = updated.revision === revision ? read.message : `the branch is now at ${updated.revision}`;
    return failed('RepositoryUnreachable', `The tree of commit ${revision} cannot be read: ${why}.`);
  }

  #enqueue<T>(work: () => Promise<T | SourceFailed>): Promise<T | SourceFailed> {
    return this.#operations.run(() => (this.#abort.signal.aborted ? closedFailure() : work()));
  }
}

function isBroken(result: GitTreeResult): result is GitTreeResult & { ok: false; reason: 'Broken' } {
  return !result.ok && result.reason === 'Broken';
}

function closedFailure(): SourceFailed {
  return failed('RepositoryUnreachable', 'The source is closed.');
}
