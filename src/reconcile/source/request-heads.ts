import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KnownFiles, SourceTree } from '../../domain/definitions/source-tree.ts';
import type { SourceFailed } from '../../domain/ports/sources.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import { makeFolder } from '../../platform/files/make-folder.ts';
import { describeGitFailure } from './git-failure.ts';
import type { GitCommand, GitOutcome, RunGit } from './git-process.ts';
import { readCommittedTree } from './git-tree.ts';
import {
  digestOrigin,
  initialiseMirror,
  removeFolder,
  removeFullPacks,
  removeStaleLocks,
  STAMP_FILE,
} from './mirror-folder.ts';
import { FETCH, locateRemote, type Remote, writeRemoteConfig } from './remote.ts';
import type { RepositoryLocation } from './repository-url.ts';
import { failed, formatMegabytes, type SourceLimits } from './source-limits.ts';

/** The repository whose requests are read, and the folder of their mirror. */
interface RequestHeadsOptions {
  location: RepositoryLocation;
  /** The production branch. */
  branch: string;
  /** Folder of this mirror only; anything in it may be deleted. */
  mirrorDir: string;
  runGit: RunGit;
  environment: Environment;
  limits: SourceLimits;
  signal?: AbortSignal;
}

/** The head of a pull or merge request. */
export interface RequestHead {
  number: number;
  /** The commit that the git host reports. */
  commit: string;
  /** `refs/pull/7/head`, as the git host names it. */
  ref: string;
}

/** The definition paths of the commits that a merge would combine. */
interface RequestTrees {
  ok: true;
  head: SourceTree;
  /** The production branch as it is now. Files that `head` has too come without bytes. */
  production: SourceTree;
  /** Where the request left the production branch, without bytes; `null` if the last commits of both do not show it. */
  base: SourceTree | null;
}

/** `Moved`: the request has another commit meanwhile. */
export type RequestTreesResult = RequestTrees | SourceFailed | { ok: false; reason: 'Moved'; message: string };

const TIP_REF = 'refs/dockbell/tip';
const HEAD_REFS = 'refs/dockbell/heads/';
/** Commits of both branches in which the common one is searched. Most requests need only the first number. */
const DEPTHS = [50, 1000] as const;
/** Room for the names of all refs of open requests. */
const MAX_REFS_BYTES = 1_000_000;
/** Each fetch adds a pack. With more of them, or with more bytes, the mirror starts again empty (D10). */
const MAX_PACKS = 50;
const MAX_MIRROR_FETCHES = 3;

/**
 * A bare mirror for the heads of requests, apart from that of the production branch: no object of a third party is in the
 * repository that applies read, and a slow request delays no apply. Only named refs are fetched, without a checkout, and with
 * the limits of production (G2, G3). The mirror is disposable.
 */
export class RequestHeads {
  readonly #options: RequestHeadsOptions;
  readonly #dir: string;

  constructor(options: RequestHeadsOptions) {
    this.#options = options;
    this.#dir = join(options.mirrorDir, 'heads.git');
  }

  /**
   * Fetches one head and reads what a merge would combine. Refs of requests that are not open are removed.
   *
   * @param prefix folder of the factory
   * @param open numbers of the open requests
   */
  async read(head: RequestHead, prefix: string, open: ReadonlySet<number>): Promise<RequestTreesResult> {
    const deadline = performance.now() + this.#options.limits.fetchTimeoutMs;
    const remote = await locateRemote(this.#options);
    if (!remote.ok) return remote;
    await writeRemoteConfig(remote, this.#options.mirrorDir);
    const prepared = (await this.#prepare(head.commit)) ?? (await this.#removeClosed(open));
    if (prepared !== null) return prepared;
    const fetched = await this.#fetchWithBase(remote, head, deadline);
    if (!fetched.ok) return fetched;
    const { base, ...commits } = fetched;
    if (commits.head !== head.commit) {
      return { ok: false, reason: 'Moved', message: `The request ${head.number} has a new commit.` };
    }
    return this.#readTrees(commits.head, commits.production, base, prefix);
  }

  async #readTrees(head: string, production: string, base: string | null, prefix: string): Promise<RequestTreesResult> {
    const read = async (commit: string, known?: KnownFiles) => {
      const { runGit, environment, limits, signal } = this.#options;
      const reading = { runGit, gitDir: this.#dir, environment, limits, ...(signal && { signal }) };
      const found = await readCommittedTree(reading, commit, prefix, known);
      if (found.ok || found.reason !== 'Broken') return found;
      // Nothing in the mirror is trusted after that.
      await removeFolder(this.#dir);
      return failed('RepositoryUnreachable', `The tree of commit ${commit} cannot be read: ${found.message}.`);
    };
    const headTree = await read(head);
    if (!headTree.ok) return headTree;
    const digests = new Map(headTree.tree.entries.map(({ path, digest }) => [path, digest]));
    const productionTree = await read(production, { has: (path, digest) => digests.get(path) === digest });
    if (!productionTree.ok) return productionTree;
    const baseTree = base === null ? null : await read(base, { has: () => true });
    if (baseTree !== null && !baseTree.ok) return baseTree;
    return { ok: true, head: headTree.tree, production: productionTree.tree, base: baseTree?.tree ?? null };
  }

  /** A history that git rejects, or that is too large, is given up: as for production, the last commit is sufficient. */
  async #fetchWithBase(
    remote: Remote,
    head: RequestHead,
    deadline: number,
  ): Promise<{ ok: true; head: string; production: string; base: string | null } | SourceFailed> {
    for (const depth of DEPTHS) {
      const problem = await this.#fetch(remote, head, depth, deadline);
      if (problem !== null && !isOfHistory(problem)) return problem;
      if (problem !== null) break;
      const commits = await this.#readCommits(head);
      if (!commits.ok || commits.base !== null) return commits;
    }
    const problem = await this.#fetch(remote, head, 1, deadline);
    return problem ?? this.#readCommits(head);
  }

  async #fetch(remote: Remote, head: RequestHead, depth: number, deadline: number): Promise<SourceFailed | null> {
    const { branch, limits } = this.#options;
    const outcome = await this.#run({
      ...remote.settings,
      args: [
        ...FETCH,
        `--depth=${depth}`,
        '--update-shallow',
        '--force',
        '--',
        remote.address,
        `+refs/heads/${branch}:${TIP_REF}`,
        `+${head.ref}:${HEAD_REFS}${head.number}`,
      ],
      timeoutMs: Math.max(1, Math.ceil(deadline - performance.now())),
      maxFileBytes: limits.maxFetchBytes,
    });
    if (outcome.kind === 'exited' && outcome.code === 0) return null;
    if (!(await removeFullPacks(this.#dir, limits.maxFetchBytes))) return this.#explain(outcome);
    const message = `The request is larger than ${formatMegabytes(limits.maxFetchBytes)}; remove large files from it.`;
    return failed('FetchTooLarge', message);
  }

  async #readCommits(
    head: RequestHead,
  ): Promise<{ ok: true; head: string; production: string; base: string | null } | SourceFailed> {
    const headRef = `${HEAD_REFS}${head.number}`;
    const parsed = await this.#run({ args: ['rev-parse', `${TIP_REF}^{commit}`, `${headRef}^{commit}`] });
    if (parsed.kind !== 'exited' || parsed.code !== 0) return this.#explain(parsed);
    const [production = '', commit = ''] = parsed.stdout.toString('latin1').trim().split('\n');
    const found = await this.#run({ args: ['merge-base', TIP_REF, headRef] });
    if (found.kind !== 'exited' || found.code > 1) return this.#explain(found);
    const base = found.code === 0 ? found.stdout.toString('latin1').trim() : null;
    return { ok: true, production, head: commit, base };
  }

  /** Makes sure that the folder has a mirror of this repository which is not too large. */
  async #prepare(commit: string): Promise<SourceFailed | null> {
    const { location, branch, mirrorDir } = this.#options;
    const stamp = digestOrigin(location, branch);
    const current = await readFile(join(this.#dir, STAMP_FILE), 'utf8').catch(() => '');
    if (current === stamp && (await this.#hasRoom())) {
      await removeStaleLocks(this.#dir);
      return null;
    }
    await removeFolder(this.#dir);
    await makeFolder(mirrorDir, { mode: 0o700 });
    const outcome = await this.#runAnywhere(initialiseMirror(this.#dir, commit));
    if (outcome.kind !== 'exited' || outcome.code !== 0) return this.#explain(outcome);
    await writeFile(join(this.#dir, STAMP_FILE), stamp);
    return null;
  }

  async #hasRoom(): Promise<boolean> {
    const folder = join(this.#dir, 'objects', 'pack');
    const names = await readdir(folder).catch(() => []);
    if (names.filter((name) => name.endsWith('.pack')).length >= MAX_PACKS) return false;
    const sizes = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => null)));
    const total = sizes.reduce((sum, file) => sum + (file?.size ?? 0), 0);
    return total <= MAX_MIRROR_FETCHES * this.#options.limits.maxFetchBytes;
  }

  async #removeClosed(open: ReadonlySet<number>): Promise<SourceFailed | null> {
    const listed = await this.#run({ args: ['for-each-ref', '--format=%(refname)', HEAD_REFS] });
    if (listed.kind !== 'exited' || listed.code !== 0) return this.#explain(listed);
    const refs = listed.stdout.toString('latin1').split('\n');
    const closed = refs.filter((ref) => ref !== '' && !open.has(Number(ref.slice(HEAD_REFS.length))));
    if (closed.length === 0) return null;
    const stdin = Buffer.from(closed.map((ref) => `delete ${ref}\n`).join(''));
    const removed = await this.#run({ args: ['update-ref', '--stdin'], stdin });
    return removed.kind === 'exited' && removed.code === 0 ? null : this.#explain(removed);
  }

  #run(command: Pick<GitCommand, 'args'> & Partial<GitCommand>): Promise<GitOutcome> {
    return this.#runAnywhere({ gitDir: this.#dir, ...command });
  }

  #runAnywhere(command: Pick<GitCommand, 'args'> & Partial<GitCommand>): Promise<GitOutcome> {
    const { runGit, environment, limits, signal } = this.#options;
    const defaults = { timeoutMs: limits.readTimeoutMs, maxOutputBytes: MAX_REFS_BYTES };
    const memory = { maxMemoryBytes: limits.maxFetchMemoryBytes };
    return runGit({ environment, ...(signal && { signal }), ...memory, ...defaults, ...command });
  }

  #explain(outcome: GitOutcome): SourceFailed {
    return describeGitFailure(outcome, this.#options.location, this.#options.limits);
  }
}

/** Would the last commit alone not have this problem? */
function isOfHistory({ reason }: SourceFailed): boolean {
  return reason === 'TreeOdd' || reason === 'FetchTooLarge';
}
