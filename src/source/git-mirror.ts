import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '../core/errors.ts';
import type { Ancestry, SourceFailed } from '../core/ports/definitions/definition-source.ts';
import { makeFolder } from '../files/make-folder.ts';
import { type RunInRepository, readAncestry, readCommitTime } from './ancestry.ts';
import { isBranchName } from './branch-name.ts';
import { describeGitFailure } from './git-failure.ts';
import { type Environment, type GitCommand, type GitOutcome, runGit, SMALL_PACK_WINDOWS } from './git-process.ts';
import { type GitTreeResult, readGitTree } from './git-tree.ts';
import { realPathOf, resolveLocalRepository } from './local-repository.ts';
import { quote } from './printable-text.ts';
import type { RepositoryLocation } from './repository-url.ts';
import { failed, formatMegabytes, type SourceLimits } from './source-limits.ts';

/** What a mirror is a mirror of, and where it is kept. */
export interface MirrorOptions {
  location: RepositoryLocation;
  branch: string;
  /** A folder of the mirror's own; anything in it may be removed. */
  mirrorDir: string;
  environment: Environment;
  limits: SourceLimits;
  signal: AbortSignal;
}

export type MirrorResult = { ok: true; revision: string } | SourceFailed;

/** The repository as git is told of it: an address that is no secret, and what goes by the environment. */
interface Remote {
  ok: true;
  address: string;
  settings: Partial<GitCommand>;
}

const FETCH = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--no-auto-gc'];
const TIP_REF = 'refs/dockbell/tip';
const HISTORY_REF = 'refs/dockbell/history';
/** What history adds is never worth holding up a pass for longer. */
const HISTORY_TIMEOUT_MS = 15_000;
/** How far the clocks of committers may differ. */
const CLOCK_SKEW_SECONDS = 86_400;
/** A commit that the mirror does not hold is looked for this far back from the tip. */
const SEARCHED_HISTORY_SECONDS = 30 * 86_400;
const STAMP_FILE = 'dockbell-origin';
const MAX_REFS_BYTES = 4_000_000;
const MAX_SMALL_OUTPUT_BYTES = 65_536;
const BRANCHES_SHOWN = 5;
/** Each fetch leaves a pack behind. A mirror with more is cloned anew, which costs one commit and needs no `gc` (D10). */
const MAX_PACKS = 50;

/**
 * A bare mirror of one branch's newest commit, without history. It is disposable (threat model G5): one that is
 * missing, foreign, stale or damaged is replaced by a new one, which takes its place only when it is complete.
 */
export class GitMirror {
  readonly #options: MirrorOptions;
  readonly #currentDir: string;
  /** What the mirror is known to hold; `null` until this process has seen it. */
  #tip: string | null = null;
  /** Objects never change: a commit that git refused once is not fetched again. */
  #refused: (SourceFailed & { revision: string }) | null = null;

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.#currentDir = join(options.mirrorDir, 'mirror.git');
  }

  /** Brings the mirror to the tip of the branch and answers with it. */
  async update(): Promise<MirrorResult> {
    try {
      return await this.#update();
    } catch (error) {
      const { mirrorDir } = this.#options;
      return failed('RepositoryUnreachable', `The mirror at ${quote(mirrorDir)} cannot be used: ${messageOf(error)}.`);
    }
  }

  async #update(): Promise<MirrorResult> {
    const deadline = performance.now() + this.#options.limits.fetchTimeoutMs;
    await this.#prepareFolder();
    const remote = await this.#findRemote();
    if (!remote.ok) return remote;
    const tip = await this.#askForTip(remote, deadline);
    if (!tip.ok) return tip;
    if (this.#tip === tip.revision && (await this.#isCurrentOurs())) return tip;
    if (this.#refused?.revision === tip.revision) return this.#refused;
    const updated = await this.#bringUpToDate(remote, tip.revision, deadline);
    this.#tip = updated.ok ? updated.revision : null;
    if (updated.ok) return updated;
    const failure = { ...updated, revision: tip.revision };
    if (failure.reason === 'TreeOdd') this.#refused = failure;
    return failure;
  }

  /** Forgets what the mirror holds, so that the next `update` clones anew. */
  async discard(): Promise<void> {
    this.#tip = null;
    await removeFolder(this.#currentDir);
  }

  /** Reads the definition paths under `prefix` at a commit that `update` gave. */
  readTree(revision: string, prefix: string): Promise<GitTreeResult> {
    const { environment, limits, signal } = this.#options;
    return readGitTree({ gitDir: this.#currentDir, environment, limits, signal }, revision, prefix);
  }

  /** As `DefinitionSource.contains`. A remote repository may be asked for some more history. */
  async contains(revision: string, earlier: string): Promise<Ancestry> {
    try {
      const { location } = this.#options;
      if (location.kind === 'local') {
        const local = await resolveLocalRepository(location.path);
        return local === null ? 'unknown' : await readAncestry(this.#runIn(local.commonDir), revision, earlier);
      }
      const run = this.#runIn(this.#currentDir);
      const ancestry = await readAncestry(run, revision, earlier);
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
    // All that is younger than the earlier commit is here, so it would have been found.
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
        ...[`--shallow-since=${sinceSeconds}`, '--update-shallow', '--force', '--', remote.address],
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
    if (await this.#isCurrentUsable()) {
      const updated = await this.#fetchInto(this.#currentDir, remote, deadline);
      if (updated.ok || !isWorthCloningAnew(updated)) return updated;
    }
    return this.#cloneAnew(remote, tip, deadline);
  }

  async #cloneAnew(remote: Remote, tip: string, deadline: number): Promise<MirrorResult> {
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
    const format = tip.length === 64 ? 'sha256' : 'sha1';
    const outcome = await this.#run({
      args: ['init', '--bare', '--quiet', '--template=', `--object-format=${format}`, '--', dir],
      timeoutMs: this.#options.limits.fetchTimeoutMs,
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
        ...['--depth=1', '--update-shallow', '--force', '--', remote.address, `+refs/heads/${branch}:${TIP_REF}`],
      ],
      timeoutMs: remainingMs(deadline),
      maxOutputBytes: MAX_SMALL_OUTPUT_BYTES,
      maxFileBytes: limits.maxFetchBytes,
    });
    if (outcome.kind === 'exited' && outcome.code === 0) return this.#readTip(gitDir);
    // A signal ends what reaches the limit; the file that reached it is the proof, and of no more use.
    return (await removeFullPacks(gitDir, limits.maxFetchBytes)) ? this.#explainTooLarge() : this.#explain(outcome);
  }

  async #readTip(gitDir: string): Promise<MirrorResult> {
    const outcome = await this.#run({
      gitDir,
      args: ['rev-parse', '--verify', '--quiet', `${TIP_REF}^{commit}`],
      timeoutMs: this.#options.limits.readTimeoutMs,
      maxOutputBytes: MAX_SMALL_OUTPUT_BYTES,
    });
    if (outcome.kind !== 'exited' || outcome.code !== 0) return this.#explain(outcome);
    return { ok: true, revision: outcome.stdout.toString('latin1').trim() };
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
    const instead = names.length === 0 ? 'it has no branch that can be listed' : `it has ${shown}${more}`;
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

  async #findRemote(): Promise<Remote | SourceFailed> {
    const { location, branch, mirrorDir } = this.#options;
    if (!isBranchName(branch)) {
      return failed('RepositoryRefused', `${quote(branch)} is not a name that a branch can have.`);
    }
    if (location.kind === 'remote') {
      const { protocol, origin, credentials, gitUrl } = location;
      return {
        ok: true,
        address: gitUrl,
        settings: { protocol, credentials: credentials && { ...credentials, origin } },
      };
    }
    const local = await resolveLocalRepository(location.path);
    if (local === null) return failed('RepositoryMissing', `There is no git repository at ${quote(location.path)}.`);
    const globalConfigFile = join(mirrorDir, 'gitconfig');
    await writeFile(globalConfigFile, `${await trustInConfig(local.commonDir)}${formatPackWindows()}`);
    return { ok: true, address: local.commonDir, settings: { protocol: 'file', globalConfigFile } };
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

  /** Says which repository and branch a mirror holds; a digest, because a file must not hold a URL's credentials. */
  #stamp(): string {
    const { location, branch } = this.#options;
    const address = location.kind === 'local' ? location.path : location.gitUrl;
    return createHash('sha256')
      .update(JSON.stringify([address, branch]))
      .digest('hex');
  }

  #run(command: Pick<GitCommand, 'args' | 'timeoutMs' | 'maxOutputBytes'> & Partial<GitCommand>): Promise<GitOutcome> {
    const { environment, signal, limits } = this.#options;
    return runGit({ environment, signal, maxMemoryBytes: limits.maxFetchMemoryBytes, ...command });
  }

  #explain(outcome: GitOutcome): SourceFailed {
    return describeGitFailure(outcome, this.#options.location, this.#options.limits);
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

function isWorthCloningAnew(failure: SourceFailed): boolean {
  return failure.reason !== 'FetchTimeout' && failure.reason !== 'FetchTooLarge';
}

function remainingMs(deadline: number): number {
  return Math.max(1, Math.ceil(deadline - performance.now()));
}

/** The operator named this repository, so it is trusted whoever owns it; git asks for that in a global file only. */
async function trustInConfig(commonDir: string): Promise<string> {
  const real = await realPathOf(commonDir);
  const paths = new Set([commonDir, real, dirname(commonDir), dirname(real)]);
  const lines = Array.from(paths, (path) => `\tdirectory = "${path.replace(/["\\]/g, '\\$&')}"\n`);
  return `[safe]\n${lines.join('')}`;
}

/** The git that sends from a local repository reads only this file of ours, and has the same limit on its memory. */
function formatPackWindows(): string {
  const lines = SMALL_PACK_WINDOWS.map(([key, value]) => `\t${key.replace('core.', '')} = ${value}\n`);
  return `[core]\n${lines.join('')}`;
}

/** The data directory has one daemon, so a lock found before git starts is a dead git's. */
async function removeStaleLocks(gitDir: string): Promise<void> {
  for (const dir of ['.', 'refs', 'refs/dockbell', 'objects/pack']) {
    const names = await readdir(join(gitDir, dir)).catch(() => []);
    const stale = names.filter((name) => name.endsWith('.lock') || name.startsWith('tmp_'));
    for (const name of stale) await rm(join(gitDir, dir, name), { recursive: true, force: true });
  }
}

async function removeFullPacks(gitDir: string, maxBytes: number): Promise<boolean> {
  const packDir = join(gitDir, 'objects', 'pack');
  const names = (await readdir(packDir).catch(() => [])).filter((name) => name.startsWith('tmp_'));
  let isFull = false;
  for (const name of names) {
    const size = (await stat(join(packDir, name)).catch(() => null))?.size ?? 0;
    // The limit counts in blocks of the shell's, so a file may end a little short of it.
    isFull ||= size >= maxBytes - 1024;
    await rm(join(packDir, name), { force: true });
  }
  return isFull;
}

async function removeFolder(dir: string): Promise<void> {
  // A git that outlived a killed daemon may still write there; what it leaves goes at the next attempt.
  await rm(dir, { recursive: true, force: true, maxRetries: 2 }).catch(() => {});
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
