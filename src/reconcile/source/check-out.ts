import { lchown, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../domain/errors.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import { describeGitFailure } from './git-failure.ts';
import type { GitCommand, GitOutcome, RunGit } from './git-process.ts';
import { formatPackWindows, resolveLocalRepository, trustInConfig } from './local-repository.ts';
import type { RepositoryLocation } from './repository-url.ts';
import { DEFAULT_LIMITS, formatMegabytes } from './source-limits.ts';

/** Limits of one checkout. */
interface CheckoutLimits {
  /** Time for all git commands together. */
  timeoutMs: number;
  /** Maximum number of bytes that git fetches, and the maximum size of all files together. */
  maxBytes: number;
  maxFiles: number;
}

const CHECKOUT_LIMITS: CheckoutLimits = Object.freeze({
  timeoutMs: 5 * 60_000,
  maxBytes: 1_000_000_000,
  maxFiles: 200_000,
});

/** A clean checkout to make. */
export interface Checkout {
  location: RepositoryLocation;
  /** A branch, a tag, a full ref or a commit ID, checked by `isSafeRef`. */
  ref: string;
  /** Folder that does not exist. Its parent is only writable for this process. */
  dir: string;
  /** Owner of the files; `null` for the user of this process. */
  owner: { uid: number; gid: number } | null;
  runGit: RunGit;
  environment: Environment;
  signal: AbortSignal;
  limits?: CheckoutLimits;
}

type CheckoutOutcome = { ok: true } | { ok: false; problem: string };

const MAX_OUTPUT_BYTES = 64_000_000;

/**
 * Fetches one commit without history, and checks it out: without hooks, filters, submodules, and without the credentials in
 * the configuration of the new repository. A checkout that failed is removed.
 */
export async function checkOut(checkout: Checkout): Promise<CheckoutOutcome> {
  const { dir, location } = checkout;
  try {
    await new CheckoutSteps(checkout).run();
    return { ok: true };
  } catch (error) {
    await rm(dir, { recursive: true, force: true }).catch(() => undefined);
    const problem = error instanceof Failed ? error.message : `${location.display}: ${messageOf(error)}`;
    return { ok: false, problem: `the workspace cannot be checked out: ${problem.replace(/\.$/, '')}` };
  }
}

/** The message is a sentence without credentials. */
class Failed extends Error {}

class CheckoutSteps {
  readonly #checkout: Checkout;
  readonly #limits: CheckoutLimits;
  readonly #deadline: number;
  readonly #gitDir: string;
  /** Outside of the work tree until the end, because a local repository needs a configuration file. */
  readonly #configFile: string;

  constructor(checkout: Checkout) {
    this.#checkout = checkout;
    this.#limits = checkout.limits ?? CHECKOUT_LIMITS;
    this.#deadline = performance.now() + this.#limits.timeoutMs;
    this.#gitDir = join(checkout.dir, '.git');
    this.#configFile = join(this.#gitDir, 'dockbell-gitconfig');
  }

  async run(): Promise<void> {
    const { dir, ref, owner } = this.#checkout;
    await mkdir(dir, { mode: 0o700 });
    const format = ref.length === 64 && /^[0-9a-f]+$/.test(ref) ? 'sha256' : 'sha1';
    await this.#git(['init', '--quiet', '--template=', `--object-format=${format}`, '--', dir], {});
    await this.#fetch();
    await this.#checkSize();
    const inTree = { gitDir: this.#gitDir, maxFileBytes: this.#limits.maxBytes };
    await this.#git(['--work-tree', dir, 'checkout', '--quiet', '--detach', 'FETCH_HEAD'], inTree);
    await rm(this.#configFile, { force: true });
    if (owner !== null) await chownTree(dir, owner);
  }

  async #fetch(): Promise<void> {
    const { location, ref } = this.#checkout;
    const { address, settings } = await this.#locate();
    await this.#git(['config', '--local', 'remote.origin.url', address], { gitDir: this.#gitDir });
    await this.#git(
      ['fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--no-auto-gc', '--', address, ref],
      { ...settings, gitDir: this.#gitDir, maxFileBytes: this.#limits.maxBytes },
      `${location.display} has no ${ref} that can be fetched`,
    );
  }

  async #locate(): Promise<{ address: string; settings: Partial<GitCommand> }> {
    const { location } = this.#checkout;
    if (location.kind === 'remote') {
      const { protocol, origin, credentials, gitUrl } = location;
      return { address: gitUrl, settings: { protocol, credentials: credentials && { ...credentials, origin } } };
    }
    const local = await resolveLocalRepository(location.path);
    if (local === null) throw new Failed(`no git repository exists at ${location.display}`);
    await writeFile(this.#configFile, `${await trustInConfig(local.commonDir)}${formatPackWindows()}`, { mode: 0o600 });
    return { address: local.commonDir, settings: { protocol: 'file', globalConfigFile: this.#configFile } };
  }

  /** A small pack can have files of any size. */
  async #checkSize(): Promise<void> {
    const { maxBytes, maxFiles } = this.#limits;
    const listed = await this.#git(['ls-tree', '-r', '-l', '-z', '--full-tree', 'FETCH_HEAD'], {
      gitDir: this.#gitDir,
    });
    const sizes = listed
      .toString('latin1')
      .split('\0')
      .flatMap((line) => /^\d+ blob \w+ +(\d+)\t/.exec(line)?.[1] ?? []);
    const bytes = sizes.reduce((sum, size) => sum + Number(size), 0);
    if (sizes.length > maxFiles) throw new Failed(`it has more than ${maxFiles} files`);
    if (bytes > maxBytes) throw new Failed(`its files are larger than ${formatMegabytes(maxBytes)} together`);
  }

  async #git(args: string[], settings: Partial<GitCommand>, missing?: string): Promise<Buffer> {
    const { runGit, environment, signal, location } = this.#checkout;
    const timeoutMs = Math.max(1, Math.ceil(this.#deadline - performance.now()));
    const outcome = await runGit({
      args,
      timeoutMs,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      environment,
      signal,
      ...settings,
    });
    if (outcome.kind === 'exited' && outcome.code === 0) return outcome.stdout;
    throw new Failed(this.#explain(outcome, location, missing));
  }

  #explain(outcome: GitOutcome, location: RepositoryLocation, missing: string | undefined): string {
    const { timeoutMs, maxBytes } = this.#limits;
    if (outcome.kind === 'timeout') return `git took longer than ${timeoutMs / 60_000} minutes for ${location.display}`;
    if (outcome.kind === 'exited' && missing !== undefined && isMissingRef(outcome.stderr)) return missing;
    if (outcome.kind === 'exited' && outcome.code > 128) return `it is larger than ${formatMegabytes(maxBytes)}`;
    return describeGitFailure(outcome, location, DEFAULT_LIMITS).message;
  }
}

function isMissingRef(stderr: string): boolean {
  return /couldn't find remote ref|not our ref|no such remote ref|unadvertised object/i.test(stderr);
}

/** Links are changed themselves, never followed. */
async function chownTree(path: string, owner: { uid: number; gid: number }): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true })) {
    await lchown(join(entry.parentPath, entry.name), owner.uid, owner.gid);
  }
  await lchown(path, owner.uid, owner.gid);
}
