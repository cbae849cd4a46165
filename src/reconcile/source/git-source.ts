// Where definitions come from. In: a repository that may be hostile, a hosted one, a folder, or rows. Out: a `SourceTree`, by
// the port `DefinitionSource`; failures are values. This is the source of repositories: `git-mirror.ts` holds the mirror,
// `git-tree.ts` reads trees, `git-process.ts` starts git.
// Others: `managed-source.ts` and `live-source.ts` for hosted definitions, `work-tree-source.ts` for `dockbell dev`,
// `directory-source.ts` for `dockbell validate`. `watch-repository.ts` and `start-polling.ts` detect changes.

import type { Commit } from '../../domain/applies/reconciliation.ts';
import type { KnownFiles, SourceTree } from '../../domain/definitions/source-tree.ts';
import type { Ancestry, DefinitionSource, SourceFailed, SourceResult } from '../../domain/ports/sources.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import { TaskQueue } from '../../domain/time/task-queue.ts';
import { GitMirror } from './git-mirror.ts';
import { type RunGit, runGit } from './git-process.ts';
import type { GitTreeResult } from './git-tree.ts';
import { rejectOldGit } from './git-version.ts';
import { parseRepositoryUrl, type RepositoryLocation } from './repository-url.ts';
import { DEFAULT_LIMITS, failed, type SourceLimits } from './source-limits.ts';
import { type SourceClock, startPolling, systemSourceClock } from './start-polling.ts';
import { parseFactoryFolder } from './tree-names.ts';
import { RepositoryWatcher } from './watch-repository.ts';

/** The repository of a factory and how it is read. */
export interface GitSourceOptions {
  /** https, ssh or file URL, `git@host:path`, or an absolute local path. */
  url: string;
  /** The production branch; no other is ever read. */
  branch: string;
  /** Folder of the factory in the repository, `.` for its root. */
  path: string;
  /** Folder for the mirror of this source only, created on first use. Its content can be deleted at any time. */
  mirrorDir: string;
  /** File with the SSH keys of which one must have signed a commit that is read; `null` for any commit. */
  allowedSigners?: string | null;
  /** Interval between fetches of a remote repository. A local one is watched. */
  pollIntervalMs: number;
  clock?: SourceClock;
  limits?: Partial<SourceLimits>;
  /** Source of `PATH`, `HOME`, `SSH_AUTH_SOCK`, `GIT_SSH_COMMAND` and proxies. Default: the environment of the daemon. */
  environment?: Environment;
  /** Default: git is started from this process. */
  runGit?: RunGit;
}

/**
 * Reads the definition of a factory from a git repository through a bare mirror. Failures are returned as `SourceFailure`,
 * never thrown. An invalid URL fails the first fetch (threat model G1 to G3, G5).
 */
export function createGitSource(options: GitSourceOptions): DefinitionSource {
  const url = parseRepositoryUrl(options.url);
  if (!url.ok) return createFailedSource(failed('RepositoryRefused', url.message));
  const folder = parseFactoryFolder(options.path);
  if (!folder.ok) return createFailedSource(folder);
  return new GitSource(options, url.location, folder.prefix);
}

/** A source with an invalid configuration: each operation returns the failure. */
function createFailedSource(failure: SourceFailed): DefinitionSource {
  return {
    fetch: async () => failure,
    readTree: async () => failure,
    describe: async () => null,
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
      runGit: options.runGit ?? runGit,
      environment: options.environment ?? process.env,
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      signal: this.#abort.signal,
    });
  }

  fetch(): Promise<SourceResult<{ revision: string }>> {
    return this.#enqueue(async () => {
      const updated = (await this.#rejectOldGit()) ?? (await this.#mirror.update());
      this.#failures = updated.ok ? 0 : this.#failures + 1;
      return updated;
    });
  }

  readTree(revision: string, known?: KnownFiles): Promise<SourceResult<{ tree: SourceTree }>> {
    return this.#enqueue(async () => {
      if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(revision)) {
        return failed('RepositoryRefused', 'The revision to read is not a full commit ID.');
      }
      const found = await this.#mirror.readTree(revision, this.#prefix, known);
      const read = isBroken(found) ? await this.#readFromNewMirror(revision, known) : found;
      return read.ok ? ((await this.#rejectUntrusted(revision)) ?? read) : read;
    });
  }

  async describe(revision: string): Promise<Commit | null> {
    return this.#mirror.describe(revision);
  }

  async contains(revision: string, earlier: string): Promise<Ancestry> {
    const answer = await this.#enqueue(async () => ({
      ok: true as const,
      ancestry: await this.#mirror.contains(revision, earlier),
    }));
    return answer.ok ? answer.ancestry : 'unknown';
  }

  /** Checks the version until it is sufficient, then never again. */
  async #rejectOldGit(): Promise<SourceFailed | null> {
    if (this.#isGitGood) return null;
    const problem = await rejectOldGit(this.#options.environment ?? process.env, this.#options.runGit);
    this.#isGitGood = problem === null;
    return problem;
  }

  async #rejectUntrusted(revision: string): Promise<SourceFailed | null> {
    const { allowedSigners = null } = this.#options;
    return allowedSigners === null ? null : this.#mirror.verify(revision, allowedSigners);
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

  /** Replaces a damaged mirror once. A commit that the new mirror lacks is no longer on the branch. */
  async #readFromNewMirror(revision: string, known?: KnownFiles): Promise<SourceResult<{ tree: SourceTree }>> {
    await this.#mirror.discard();
    const updated = await this.#mirror.update();
    if (!updated.ok) return updated;
    const read = await this.#mirror.readTree(revision, this.#prefix, known);
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
