import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Commit } from '../../domain/applies/reconciliation.ts';
import type { KnownFiles, SourceTree } from '../../domain/definitions/source-tree.ts';
import { AppError } from '../../domain/errors.ts';
import type { PageRequest } from '../../domain/page.ts';
import type {
  Ancestry,
  CommitOutcome,
  FileChange,
  HostedSource,
  Revision,
  SourceEdit,
  SourceResult,
} from '../../domain/ports/sources.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import { makeFolder } from '../../platform/files/make-folder.ts';
import { syncFolder, writeDurably } from '../../platform/files/write-durably.ts';
import { type GitOutcome, type RunGit, runGit } from './git-process.ts';
import { readGitTree } from './git-tree.ts';
import { rejectOldGit } from './git-version.ts';
import { askOwnGit, describeExit, OwnGitError, useOwnGit } from './own-git.ts';
import { quote } from './printable-text.ts';
import { DEFAULT_LIMITS, failed } from './source-limits.ts';

const BRANCH = 'refs/heads/main';
const COMMIT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const TIMEOUT_MS = 30_000;
/** A repository with more loose objects than this is packed when the daemon opens it (threat model D10). */
const MAX_LOOSE_OBJECTS = 2_000;

const HEAD_TEXT = `ref: ${BRANCH}\n`;

/** Nobody else configures this repository, so its `config` file contains the settings for protection and durability. */
const CONFIG_TEXT = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
\thooksPath = /dev/null
\tfsmonitor = false
\tfsync = all
\tfsyncMethod = fsync
[protocol]
\tallow = never
[transfer]
\tfsckObjects = true
[gc]
\tauto = ${MAX_LOOSE_OBJECTS}
\tautoDetach = false
[maintenance]
\tauto = false
`;

/** `git-process.ts` syncs nothing by default, because a mirror can be fetched again. A commit of this repository cannot. */
const DURABLE = [
  ['core.fsync', 'all'],
  ['core.fsyncMethod', 'fsync'],
] as const;
const MAX_IMPORT_OUTPUT_BYTES = 4_096;

/** How the repository of a managed factory is used. */
interface ManagedSourceOptions {
  /** Starts git for edits and for reading trees, which are frequent. */
  run?: RunGit;
  /** Awaited before each use: what is left to do with the folder. */
  settle?: () => Promise<void>;
}

/** @param gitDir folder for the bare repository of this source, with the definition and its history */
export function createManagedSource(
  gitDir: string,
  environment: Environment,
  { run = runGit, settle = async () => {} }: ManagedSourceOptions = {},
): HostedSource {
  return new ManagedSource(gitDir, environment, { run, settle });
}

/** A definition in a bare repository that Dockbell hosts: every edit is a commit on its only branch. */
class ManagedSource implements HostedSource {
  readonly keepsUids = false;
  readonly #gitDir: string;
  readonly #environment: Environment;
  readonly #run: RunGit;
  readonly #settle: () => Promise<void>;
  readonly #abort = new AbortController();
  #opened: Promise<void> | null = null;
  /** The last commit of the branch that git or this process verified. */
  #verified: string | null = null;
  #described: { revision: string; commit: Commit } | null = null;

  constructor(gitDir: string, environment: Environment, { run, settle }: Required<ManagedSourceOptions>) {
    this.#gitDir = gitDir;
    this.#environment = environment;
    this.#run = run;
    this.#settle = settle;
  }

  async head(): Promise<string | null> {
    await this.#open();
    const known = this.#verified;
    // git is asked only if the file of the branch is missing (packed), or if somebody else changed it.
    if (known !== null && (await this.#readBranchFile()) === known) return known;
    try {
      this.#verified = await this.#findCommit(BRANCH);
      return this.#verified;
    } catch (error) {
      throw this.#describe('read its branch', error);
    }
  }

  async fetch(): Promise<SourceResult<{ revision: string }>> {
    const revision = await this.head();
    return revision === null ? failed('BranchMissing', 'The repository has no commit yet.') : { ok: true, revision };
  }

  async readTree(revision: string, known?: KnownFiles): Promise<SourceResult<{ tree: SourceTree }>> {
    if (!COMMIT_ID.test(revision)) return failed('RepositoryRefused', 'The revision is not a full commit ID.');
    await this.#open();
    const [runGit, gitDir, environment, { signal }] = [this.#run, this.#gitDir, this.#environment, this.#abort];
    const reading = { runGit, gitDir, environment, signal };
    const read = await readGitTree({ ...reading, limits: DEFAULT_LIMITS }, revision, '', known);
    if (read.ok || read.reason !== 'Broken') return read;
    return failed('RepositoryUnreachable', `The commit ${revision} cannot be read: ${read.message}.`);
  }

  async commit(edit: SourceEdit): Promise<CommitOutcome> {
    await this.#open();
    let revision: string;
    // One step writes the objects and moves the branch, only if `from` is still its latest commit.
    try {
      revision = (await this.#import(composeImport(edit))).trim();
    } catch (error) {
      if ((await this.head()) !== edit.from) return { ok: false, reason: 'moved' };
      throw this.#describe('store the change', error);
    }
    // git syncs the file of the branch, but not its new name in the folder.
    await syncFolder(join(this.#gitDir, 'refs/heads'));
    this.#verified = revision;
    const { message: subject, author, at } = edit;
    this.#described = { revision, commit: { subject, author: author.name, committedAt: at, url: null } };
    return { ok: true, revision };
  }

  readonly history = async ({ limit, cursor }: PageRequest): ReturnType<NonNullable<HostedSource['history']>> => {
    if (cursor !== null && !COMMIT_ID.test(cursor)) {
      throw new AppError('bad_request', 'The cursor does not belong to this list.');
    }
    await this.#open();
    const from = cursor ?? (await this.head());
    if (from === null) return { ok: true, page: { data: [], nextCursor: null } };
    const revisions = await this.#readLog(from, limit + 1);
    if (revisions === null) throw new AppError('bad_request', 'The cursor does not belong to this list.');
    return { ok: true, page: { data: revisions.slice(0, limit), nextCursor: revisions[limit]?.revision ?? null } };
  };

  /** An edit describes its revision itself, so git is asked only for a revision that another process left. */
  async describe(revision: string): Promise<Commit | null> {
    if (this.#described?.revision === revision) return this.#described.commit;
    try {
      const [found] = (await this.#readLog(revision, 1)) ?? [];
      if (found === undefined) return null;
      const commit = { subject: found.message, author: found.author.name, committedAt: found.at, url: null };
      this.#described = { revision, commit };
      return commit;
    } catch {
      return null;
    }
  }

  async contains(revision: string, earlier: string): Promise<Ancestry> {
    try {
      await this.#open();
      const known = await this.#findCommit(earlier);
      if (known === null) return 'no';
      return (await this.#ask(['merge-base', '--is-ancestor', known, revision])) === null ? 'no' : 'yes';
    } catch {
      return 'unknown';
    }
  }

  /** Only this process changes the repository, and a reconciliation follows every change. */
  watch(): void {}

  async close(): Promise<void> {
    this.#abort.abort();
  }

  async #open(): Promise<void> {
    await this.#settle();
    this.#opened ??= this.#prepare().catch((error) => {
      this.#opened = null;
      throw error;
    });
    return this.#opened;
  }

  async #prepare(): Promise<void> {
    const problem = await rejectOldGit(this.#environment);
    if (problem !== null) throw new AppError('source_unavailable', problem.message);
    try {
      await this.#restore();
    } catch (error) {
      throw this.#describe('be opened', error);
    }
    // Without packing, the repository can still be read and changed.
    await this.#git(['gc', '--auto', '--quiet']).catch(() => {});
  }

  /**
   * Creates the repository, or its missing or damaged parts. After a power failure, `HEAD` and `config` of `git init` may be
   * empty, so they are written and synced here: their content never changes.
   */
  async #restore(): Promise<void> {
    const folders = [this.#gitDir, ...['objects', 'refs', 'refs/heads'].map((name) => join(this.#gitDir, name))];
    for (const folder of folders) await makeFolder(folder, { mode: 0o700, isDurable: true });
    await restoreFile(join(this.#gitDir, 'config'), CONFIG_TEXT);
    await restoreFile(join(this.#gitDir, 'HEAD'), HEAD_TEXT);
  }

  /** The `count` latest revisions in the history of `from`; `null` if `from` is not a commit in this repository. */
  async #readLog(from: string, count: number): Promise<Revision[] | null> {
    const format = '--format=%H%x00%an%x00%ae%x00%at%x00%s';
    try {
      const type = await this.#git(['cat-file', '--batch-check=%(objecttype)'], line(from));
      if (type.trim() !== 'commit') return null;
      return parseLog(await this.#git(['log', '-z', format, `--max-count=${count}`, from, '--']));
    } catch (error) {
      throw this.#describe('read its history', error);
    }
  }

  async #import(stdin: Uint8Array): Promise<string> {
    const outcome = await this.#run({
      gitDir: this.#gitDir,
      environment: this.#environment,
      args: ['fast-import', '--quiet', '--date-format=raw'],
      config: DURABLE,
      stdin,
      timeoutMs: TIMEOUT_MS,
      maxOutputBytes: MAX_IMPORT_OUTPUT_BYTES,
      signal: this.#abort.signal,
    });
    return readOutput(outcome);
  }

  #readBranchFile(): Promise<string | null> {
    return readFile(join(this.#gitDir, BRANCH), 'latin1').then(
      (text) => text.trim(),
      () => null,
    );
  }

  /** The full ID of a commit in this repository; `null` if `name` is not a commit. */
  async #findCommit(name: string): Promise<string | null> {
    return (await this.#ask(['rev-parse', '--quiet', '--verify', `${name}^{commit}`]))?.trim() ?? null;
  }

  #ask(question: string[]): Promise<string | null> {
    return askOwnGit(this.#repository(), question);
  }

  #git(args: string[], input?: Uint8Array): Promise<string> {
    return useOwnGit(this.#repository(), (git) => git.raw(args), input);
  }

  #repository() {
    const [environment, signal] = [this.#environment, this.#abort.signal];
    return { dir: this.#gitDir, isBare: true, environment, signal, timeoutMs: TIMEOUT_MS };
  }

  #describe(what: string, error: unknown): AppError {
    const why = error instanceof OwnGitError || isSystemError(error) ? `: ${error.message}` : '';
    const message = `The managed repository ${quote(this.#gitDir)} could not ${what}${why}`;
    return new AppError('source_unavailable', message, { cause: error });
  }
}

/** The output of a git that succeeded. Throws `OwnGitError`. */
function readOutput(outcome: GitOutcome): string {
  switch (outcome.kind) {
    case 'exited':
      if (outcome.code === 0) return outcome.stdout.toString('latin1');
      throw new OwnGitError(describeExit(outcome.code, outcome.stderr));
    case 'timeout':
      throw new OwnGitError(`git took longer than ${TIMEOUT_MS / 1000} seconds`);
    case 'not-started':
      throw new OwnGitError(outcome.message);
    case 'aborted':
      throw new OwnGitError('the repository is closed');
    case 'flooded':
      throw new OwnGitError('git printed more than the ID of a commit');
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error;
}

async function restoreFile(path: string, text: string): Promise<void> {
  const present = await readFile(path, 'utf8').catch(() => '');
  if (present !== text) await writeDurably(path, text);
}

/** The input of `git fast-import` for one commit on top of `from`. git prints the ID of the new commit. */
function composeImport({ from, files, author, message, at }: SourceEdit): Uint8Array {
  const stamp = `${Math.floor(at / 1000)} +0000`;
  const head = [
    'feature done',
    `commit ${BRANCH}`,
    'mark :1',
    `author ${cleanName(author.name)} <${cleanName(author.email)}> ${stamp}`,
    `committer Dockbell <dockbell@localhost> ${stamp}`,
  ];
  return Buffer.concat([
    line(head.join('\n')),
    data(message),
    ...(from === null ? [] : [line(`from ${from}`)]),
    ...files.map(composeFile),
    line('\nget-mark :1\ndone'),
  ]);
}

function composeFile({ path, text }: FileChange): Uint8Array {
  if (text === null) return line(`D ${quotePath(path)}`);
  return Buffer.concat([line(`M 100644 inline ${quotePath(path)}`), data(text)]);
}

function line(text: string): Uint8Array {
  return Buffer.from(`${text}\n`);
}

/** With its length in bytes, so that git reads nothing in it as a command. */
function data(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')]);
}

function quotePath(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

/** A name that git accepts: without angle brackets and control characters. */
function cleanName(text: string): string {
  return text.replace(/[<>\p{Cc}\s]+/gu, ' ').trim() || 'unknown';
}

function parseLog(output: string): Revision[] {
  const fields = output.split('\0');
  const revisions: Revision[] = [];
  for (let i = 0; i + 4 < fields.length; i += 5) {
    const [revision = '', name = '', email = '', seconds = '', message = ''] = fields.slice(i, i + 5);
    revisions.push({ revision, author: { name, email }, at: Number(seconds) * 1000, message });
  }
  return revisions;
}
