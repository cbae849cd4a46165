import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Commit } from '../../domain/applies/reconciliation.ts';
import type { KnownFiles } from '../../domain/definitions/source-tree.ts';
import { messageOf } from '../../domain/errors.ts';
import type { Ancestry, SourceFailed } from '../../domain/ports/sources.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import { makeFolder } from '../../platform/files/make-folder.ts';
import { parseParents, type RunInRepository, readAncestry, readCommitTime } from './ancestry.ts';
import { verifyCommit } from './commit-signature.ts';
import { findCommitUrl } from './commit-url.ts';
import { describeGitFailure } from './git-failure.ts';
import type { GitCommand, GitOutcome, RunGit } from './git-process.ts';
import { type GitTreeResult, readCommittedTree } from './git-tree.ts';
import { resolveLocalRepository } from './local-repository.ts';
import {
  digestOrigin,
  initialiseMirror,
  removeFolder,
  removeFullPacks,
  removeStaleLocks,
  STAMP_FILE,
} from './mirror-folder.ts';
import { parseCommit } from './parse-commit.ts';
import { quote } from './printable-text.ts';
import { FETCH, locateRemote, type Remote, writeRemoteConfig } from './remote.ts';
import type { RepositoryLocation } from './repository-url.ts';
import { failed, formatMegabytes, type SourceLimits } from './source-limits.ts';

/** The source of a mirror and its folder. */
interface MirrorOptions {
  location: RepositoryLocation;
  branch: string;
  /** Folder of the mirror only; anything in it may be deleted. */
  mirrorDir: string;
  runGit: RunGit;
  environment: Environment;
  limits: SourceLimits;
  signal: AbortSignal;
}

export type MirrorResult = { ok: true; revision: string } | SourceFailed;

/** The answer of the repository, and whether the mirror is one of this repository. */
interface Asked {
  remote: Remote;
  isOurs: boolean;
  tip: MirrorResult;
}

const TIP_REF = 'refs/dockbell/tip';
const HISTORY_REF = 'refs/dockbell/history';
/** A reconciliation waits at most this long for additional history. */
const HISTORY_TIMEOUT_MS = 15_000;
/** Maximum difference between the clocks of committers. */
const CLOCK_SKEW_SECONDS = 86_400;
/** A commit that the mirror does not have is searched in this part of the history. */
const SEARCHED_HISTORY_SECONDS = 30 * 86_400;
const MAX_REFS_BYTES = 4_000_000;
const MAX_SMALL_OUTPUT_BYTES = 65_536;
/** One commit, without its files: mostly its message. */
const MAX_COMMIT_BYTES = 1_000_000;
const BRANCHES_SHOWN = 5;
/** Each fetch adds a pack. A mirror with more packs is cloned again, which fetches one commit and needs no `gc` (D10). */
const MAX_PACKS = 50;

/**
 * A bare mirror of the latest commit of one branch, without history. It is disposable (threat model G5): a mirror that is
 * missing, damaged, outdated or of another repository is replaced by a new one as soon as that is complete.
 */
export class GitMirror {
  readonly #options: MirrorOptions;
  readonly #currentDir: string;
  /** The commit in the mirror; `null` until this process has read it. */
  #tip: string | null = null;
  /** The repository as it was found last, while its configuration file is written; `null` after a failure. */
  #known: Remote | null = null;
  /** What the last commit that was fetched says. */
  #latest: { revision: string; parents: readonly string[]; commit: Omit<Commit, 'url'> | null } | null = null;
  /** Objects never change: a commit that git rejected once is not fetched again. */
  #rejected: (SourceFailed & { revision: string }) | null = null;

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.#currentDir = join(options.mirrorDir, 'mirror.git');
  }

  /** Updates the mirror to the tip of the branch, and returns the tip. */
  async update(): Promise<MirrorResult> {
    try {
      return await this.#update();
    } catch (error) {
      const { mirrorDir } = this.#options;
      return failed('RepositoryUnreachable', `The mirror at ${quote(mirrorDir)} cannot be used: ${messageOf(error)}.`);
    }
  }

  /** The tip of the branch. Changes nothing in the mirror. */
  async askForTip(): Promise<MirrorResult> {
    const asked = await this.#ask(performance.now() + this.#options.limits.fetchTimeoutMs);
    return 'tip' in asked ? asked.tip : asked;
  }

  async #update(): Promise<MirrorResult> {
    const deadline = performance.now() + this.#options.limits.fetchTimeoutMs;
    const asked = (await this.#askKnown(deadline)) ?? (await this.#ask(deadline));
    if (!('tip' in asked)) return asked;
    const { remote, isOurs, tip } = asked;
    if (!tip.ok) {
      this.#known = null;
      return tip;
    }
    if (this.#tip === tip.revision && isOurs) return tip;
    if (this.#rejected?.revision === tip.revision) return this.#rejected;
    const updated = await this.#bringUpToDate(remote, tip.revision, deadline);
    this.#tip = updated.ok ? updated.revision : null;
    if (updated.ok) return updated;
    const failure = { ...updated, revision: tip.revision };
    if (failure.reason === 'TreeOdd') this.#rejected = failure;
    return failure;
  }

  /**
   * While git answers, checks that the repository is the one that was found last, and that its configuration file was not
   * deleted with the mirror. Otherwise the answer does not count: `null`.
   */
  async #askKnown(deadline: number): Promise<Asked | null> {
    const known = this.#known;
    if (known === null) return null;
    const found = Promise.all([locateRemote(this.#options), this.#isCurrentOurs()]);
    const [tip, [remote, isOurs]] = await Promise.all([this.#askForTip(known, deadline), found]);
    const isWritten = known.globalConfig === null || isOurs;
    return isWritten && isDeepStrictEqual(remote, known) ? { remote: known, isOurs, tip } : null;
  }

  async #ask(deadline: number): Promise<Asked | SourceFailed> {
    const isOurs = await this.#isCurrentOurs();
    if (!isOurs) this.#known = null;
    const remote = await this.#findRemote();
    if (!remote.ok) return remote;
    return { remote, isOurs, tip: await this.#askForTip(remote, deadline) };
  }

  /** Deletes the mirror, so that the next `update` clones again. */
  async discard(): Promise<void> {
    this.#tip = null;
    await removeFolder(this.#currentDir);
  }

  /** Reads the definition paths below `prefix` at a commit that `update` returned. `known` is as in `readCommittedTree`. */
  readTree(revision: string, prefix: string, known?: KnownFiles): Promise<GitTreeResult> {
    const { runGit, environment, limits, signal } = this.#options;
    return readCommittedTree(
      { runGit, gitDir: this.#currentDir, environment, limits, signal },
      revision,
      prefix,
      known,
    );
  }

  /** As `verifyCommit`, for a commit that `update` returned. */
  verify(revision: string, allowedSigners: string): Promise<SourceFailed | null> {
    return verifyCommit(this.#runIn(this.#currentDir), revision, allowedSigners);
  }

  /** As `DefinitionSource.describe`. Does not start git. */
  describe(revision: string): Commit | null {
    if (this.#latest?.revision !== revision || this.#latest.commit === null) return null;
    return { ...this.#latest.commit, url: findCommitUrl(this.#options.location, revision) };
  }

  /** As `DefinitionSource.contains`. May fetch additional history from a remote repository. */
  async contains(revision: string, earlier: string): Promise<Ancestry> {
    try {
      const { location } = this.#options;
      const parents = this.#latest?.revision === revision ? this.#latest.parents : undefined;
      if (location.kind === 'local') {
        const local = await resolveLocalRepository(location.path);
        return local === null
          ? 'unknown'
          : await readAncestry(this.#runIn(local.commonDir), revision, earlier, parents);
      }
      const run = this.#runIn(this.#currentDir);
      const ancestry = await readAncestry(run, revision, earlier, parents);
      if (ancestry !== 'unknown') return ancestry;
      return await this.#askWithMoreHistory(run, revision, earlier);
    } catch {
      return 'unknown';
    }
  }

  async #askWithMoreHistory(run: RunInRepository, revision: string, earlier: string): Promise<Ancestry> {
    const madeAt = await readCommitTime(run, revision);
    if (madeAt === null) return 'unknown';
    const earlierMadeAt = await readCommitTime(run, earlier);
    const since = earlierMadeAt === null ? madeAt - SEARCHED_HISTORY_SECONDS : earlierMadeAt - CLOCK_SKEW_SECONDS;
    if (madeAt < since) return 'no';
    if (!(await this.#fetchHistory(Math.max(0, since)))) return 'unknown';
    const ancestry = await readAncestry(run, revision, earlier);
    // The mirror has everything after the earlier commit, so it would have been found.
    return ancestry === 'unknown' && earlierMadeAt !== null ? 'no' : ancestry;
  }

  async #fetchHistory(sinceSeconds: number): Promise<boolean> {
    const { branch, limits } = this.#options;
    const remote = await this.#findRemote();
    if (!remote.ok) return false;
    const outcome = await this.#run({
      ...remote.settings,
      gitDir: this.#currentDir,
      args: [
        ...FETCH,
        `--shallow-since=${sinceSeconds}`,
        '--update-shallow',
        '--force',
        '--',
        remote.address,
        `+refs/heads/${branch}:${HISTORY_REF}`,
      ],
      timeoutMs: Math.min(limits.fetchTimeoutMs, HISTORY_TIMEOUT_MS),
      maxOutputBytes: MAX_SMALL_OUTPUT_BYTES,
      maxFileBytes: limits.maxFetchBytes,
    });
    if (outcome.kind === 'exited' && outcome.code === 0) return true;
    await removeFullPacks(this.#currentDir, limits.maxFetchBytes);
    return false;
  }

  #runIn(gitDir: string): RunInRepository {
    const settings = { gitDir, timeoutMs: HISTORY_TIMEOUT_MS, maxOutputBytes: MAX_SMALL_OUTPUT_BYTES };
    return (command) => this.#run({ ...settings, ...command });
  }

  async #bringUpToDate(remote: Remote, tip: string, deadline: number): Promise<MirrorResult> {
    await this.#prepareFolder();
    if (await this.#isCurrentUsable()) {
      const updated = await this.#fetchInto(this.#currentDir, remote, deadline);
      if (updated.ok || !isWorthCloningAgain(updated)) return updated;
    }
    return this.#cloneAgain(remote, tip, deadline);
  }

  async #cloneAgain(remote: Remote, tip: string, deadline: number): Promise<MirrorResult> {
    const { mirrorDir } = this.#options;
    const freshDir = join(mirrorDir, `fresh-${process.pid}-${Date.now()}.git`);
    const initialised = await this.#initialise(freshDir, tip);
    const fetched = initialised ?? (await this.#fetchInto(freshDir, remote, deadline));
    if (fetched.ok) {
      const asideDir = join(mirrorDir, `aside-${process.pid}-${Date.now()}.git`);
      await rename(this.#currentDir, asideDir).catch(ignoreMissing);
      await rename(freshDir, this.#currentDir);
      await removeFolder(asideDir);
    } else {
      await removeFolder(freshDir);
    }
    return fetched;
  }

  async #initialise(dir: string, tip: string): Promise<SourceFailed | null> {
    const timeoutMs = this.#options.limits.fetchTimeoutMs;
    const outcome = await this.#run({
      ...initialiseMirror(dir, tip),
      timeoutMs,
      maxOutputBytes: MAX_SMALL_OUTPUT_BYTES,
    });
    if (outcome.kind !== 'exited' || outcome.code !== 0) return this.#explain(outcome);
    await writeFile(join(dir, STAMP_FILE), this.#stamp());
    return null;
  }

  async #fetchInto(gitDir: string, remote: Remote, deadline: number): Promise<MirrorResult> {
    const { branch, limits } = this.#options;
    const outcome = await this.#run({
      ...remote.settings,
      gitDir,
      args: [
        ...FETCH,
        '--depth=1',
        '--update-shallow',
        '--force',
        '--',
        remote.address,
        `+refs/heads/${branch}:${TIP_REF}`,
      ],
      timeoutMs: remainingMs(deadline),
      maxOutputBytes: MAX_SMALL_OUTPUT_BYTES,
      maxFileBytes: limits.maxFetchBytes,
    });
    if (outcome.kind === 'exited' && outcome.code === 0) return this.#readTip(gitDir);
    // A signal ends a git that reaches the limit. The file that reached it is the proof, and is no longer needed.
    return (await removeFullPacks(gitDir, limits.maxFetchBytes)) ? this.#explainTooLarge() : this.#explain(outcome);
  }

  /** Reads the commit that was fetched. The next question about its history usually concerns its parents. */
  async #readTip(gitDir: string): Promise<MirrorResult> {
    const outcome = await this.#run({
      gitDir,
      args: ['cat-file', '--batch'],
      stdin: Buffer.from(`${TIP_REF}^{commit}\n`),
      timeoutMs: this.#options.limits.readTimeoutMs,
      maxOutputBytes: MAX_COMMIT_BYTES,
    });
    if (outcome.kind === 'flooded') return this.#explainLargeCommit();
    if (outcome.kind !== 'exited' || outcome.code !== 0) return this.#explain(outcome);
    const end = outcome.stdout.indexOf('\n');
    const header = outcome.stdout.toString('latin1', 0, Math.max(end, 0));
    const revision = /^([0-9a-f]{40}|[0-9a-f]{64}) commit \d+$/.exec(header)?.[1];
    if (revision === undefined) return this.#explain({ ...outcome, stderr: header });
    const text = outcome.stdout.subarray(end + 1);
    this.#latest = { revision, parents: parseParents(text.toString('latin1')), commit: parseCommit(text) };
    return { ok: true, revision };
  }

  async #askForTip(remote: Remote, deadline: number): Promise<MirrorResult> {
    const ref = `refs/heads/${this.#options.branch}`;
    const refs = await this.#listRefs(remote, [ref], deadline);
    if (!refs.ok) return refs;
    const revision = refs.refs.get(ref);
    return revision === undefined ? this.#explainMissingBranch(remote, deadline) : { ok: true, revision };
  }

  async #explainMissingBranch(remote: Remote, deadline: number): Promise<SourceFailed> {
    const { branch, location } = this.#options;
    const refs = await this.#listRefs(remote, ['refs/heads/*'], deadline);
    const names = refs.ok ? [...refs.refs.keys()].map((ref) => quote(ref.replace('refs/heads/', ''))) : [];
    const shown = names.slice(0, BRANCHES_SHOWN).join(', ');
    const more = names.length > BRANCHES_SHOWN ? ` and ${names.length - BRANCHES_SHOWN} more` : '';
    const instead = names.length === 0 ? 'no branch can be listed' : `it has ${shown}${more}`;
    return failed('BranchMissing', `The repository ${location.display} has no branch ${quote(branch)}; ${instead}.`);
  }

  async #listRefs(
    remote: Remote,
    patterns: string[],
    deadline: number,
  ): Promise<{ ok: true; refs: Map<string, string> } | SourceFailed> {
    const outcome = await this.#run({
      ...remote.settings,
      args: ['ls-remote', '--quiet', '--refs', '--', remote.address, ...patterns],
      timeoutMs: remainingMs(deadline),
      maxOutputBytes: MAX_REFS_BYTES,
    });
    if (outcome.kind !== 'exited' || outcome.code !== 0) return this.#explain(outcome);
    const lines = outcome.stdout.toString('utf8').split('\n');
    const pairs = lines.flatMap((line) => {
      const [, objectId, ref] = /^([0-9a-f]{40}|[0-9a-f]{64})\t(.+)$/.exec(line) ?? [];
      return objectId === undefined || ref === undefined ? [] : [[ref, objectId] as const];
    });
    return { ok: true, refs: new Map(pairs) };
  }

  /** Finds the repository, and writes its configuration file: once, and again after a failure, because anybody may delete it. */
  async #findRemote(): Promise<Remote | SourceFailed> {
    const remote = await locateRemote(this.#options);
    if (!remote.ok || isDeepStrictEqual(remote, this.#known)) return remote;
    await writeRemoteConfig(remote, this.#options.mirrorDir);
    this.#known = remote;
    return remote;
  }

  async #prepareFolder(): Promise<void> {
    const { mirrorDir } = this.#options;
    await makeFolder(mirrorDir, { mode: 0o700 });
    const leftovers = (await readdir(mirrorDir)).filter((name) => /^(fresh|aside)-/.test(name));
    for (const name of leftovers) await removeFolder(join(mirrorDir, name));
  }

  async #isCurrentUsable(): Promise<boolean> {
    if (!(await this.#isCurrentOurs())) return false;
    await removeStaleLocks(this.#currentDir);
    const packs = await readdir(join(this.#currentDir, 'objects', 'pack')).catch(() => null);
    return packs !== null && packs.filter((name) => name.endsWith('.pack')).length < MAX_PACKS;
  }

  async #isCurrentOurs(): Promise<boolean> {
    const stamp = await readFile(join(this.#currentDir, STAMP_FILE), 'utf8').catch(() => '');
    return stamp === this.#stamp();
  }

  #stamp(): string {
    const { location, branch } = this.#options;
    return digestOrigin(location, branch);
  }

  #run(command: Pick<GitCommand, 'args' | 'timeoutMs' | 'maxOutputBytes'> & Partial<GitCommand>): Promise<GitOutcome> {
    const { runGit, environment, signal, limits } = this.#options;
    return runGit({ environment, signal, maxMemoryBytes: limits.maxFetchMemoryBytes, ...command });
  }

  #explain(outcome: GitOutcome): SourceFailed {
    return describeGitFailure(outcome, this.#options.location, this.#options.limits);
  }

  #explainLargeCommit(): SourceFailed {
    const [{ location }, most] = [this.#options, formatMegabytes(MAX_COMMIT_BYTES)];
    return failed(
      'FetchTooLarge',
      `The latest commit of ${location.display} is larger than ${most}; shorten its message.`,
    );
  }

  #explainTooLarge(): SourceFailed {
    const { location, limits } = this.#options;
    const most = formatMegabytes(limits.maxFetchBytes);
    return failed(
      'FetchTooLarge',
      `The branch of ${location.display} is larger than ${most}; remove large files from it.`,
    );
  }
}

function isWorthCloningAgain(failure: SourceFailed): boolean {
  return failure.reason !== 'FetchTimeout' && failure.reason !== 'FetchTooLarge';
}

function remainingMs(deadline: number): number {
  return Math.max(1, Math.ceil(deadline - performance.now()));
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
