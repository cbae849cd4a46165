import { AppError } from '../core/errors.ts';
import type { PageRequest } from '../core/page.ts';
import type { SourceResult } from '../core/ports/definition-source.ts';
import type { CommitOutcome, FileChange, HostedSource, Revision, SourceEdit } from '../core/ports/hosted-source.ts';
import type { SourceTree } from '../core/source-tree.ts';
import { makeFolder } from '../files/make-folder.ts';
import { type Environment, type GitCommand, type GitOutcome, runGit } from './git-process.ts';
import { readGitTree } from './git-tree.ts';
import { refuseOldGit } from './git-version.ts';
import { DEFAULT_LIMITS, failed } from './source-limits.ts';

const BRANCH = 'refs/heads/main';
const COMMIT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const MAX_OUTPUT_BYTES = 4_000_000;
const TIMEOUT_MS = 30_000;
/** A repository with more loose objects than this is packed when the daemon opens it (threat model D10). */
const MAX_LOOSE_OBJECTS = 2_000;

// A commit that a caller was told of survives a loss of power.
const DURABLE = [
  ['core.fsync', 'all'],
  ['core.fsyncMethod', 'fsync'],
] as const;

/** @param gitDir a folder of this source's own for its bare repository; it holds the definition and its history */
export function createManagedSource(gitDir: string, environment: Environment): HostedSource {
  return new ManagedSource(gitDir, environment);
}

/** A definition in a bare repository that the service hosts: every edit is a commit on its one branch. */
class ManagedSource implements HostedSource {
  readonly keepsUids = false;
  readonly #gitDir: string;
  readonly #environment: Environment;
  readonly #abort = new AbortController();
  #opened: Promise<void> | null = null;

  constructor(gitDir: string, environment: Environment) {
    this.#gitDir = gitDir;
    this.#environment = environment;
  }

  async head(): Promise<string | null> {
    await this.#open();
    const outcome = await this.#git({ args: ['rev-parse', '--quiet', '--verify', `${BRANCH}^{commit}`] });
    if (outcome.kind === 'exited' && outcome.code === 1) return null;
    return requireDone(outcome, 'read its branch').toString('latin1').trim();
  }

  async fetch(): Promise<SourceResult<{ revision: string }>> {
    const revision = await this.head();
    return revision === null ? failed('BranchMissing', 'The repository has no commit yet.') : { ok: true, revision };
  }

  async readTree(revision: string): Promise<SourceResult<{ tree: SourceTree }>> {
    if (!COMMIT_ID.test(revision)) return failed('RepositoryRefused', 'That is not the full id of a commit.');
    await this.#open();
    const reading = { gitDir: this.#gitDir, environment: this.#environment, signal: this.#abort.signal };
    const read = await readGitTree({ ...reading, limits: DEFAULT_LIMITS }, revision, '');
    if (read.ok || read.reason !== 'Broken') return read;
    return failed('RepositoryUnreachable', `The commit ${revision} cannot be read: ${read.message}.`);
  }

  async commit(edit: SourceEdit): Promise<CommitOutcome> {
    await this.#open();
    // It moves the branch only where `from` is still its newest commit, in one step with writing the objects.
    const outcome = await this.#git({
      args: ['fast-import', '--quiet', '--date-format=raw'],
      stdin: composeImport(edit),
      config: DURABLE,
    });
    if (outcome.kind === 'exited' && outcome.code !== 0) {
      if ((await this.head()) !== edit.from) return { ok: false, reason: 'moved' };
    }
    const revision = requireDone(outcome, 'store the change').toString('latin1').trim();
    return { ok: true, revision };
  }

  readonly history = async ({ limit, cursor }: PageRequest): ReturnType<NonNullable<HostedSource['history']>> => {
    if (cursor !== null && !COMMIT_ID.test(cursor)) {
      throw new AppError('bad_request', 'The cursor is not one that this list gave.');
    }
    const from = cursor ?? (await this.head());
    if (from === null) return { ok: true, page: { data: [], nextCursor: null } };
    const format = '--format=%H%x00%an%x00%ae%x00%at%x00%s';
    const outcome = await this.#git({ args: ['log', '-z', format, `--max-count=${limit + 1}`, from, '--'] });
    if (outcome.kind === 'exited' && outcome.code !== 0) {
      throw new AppError('bad_request', 'The cursor is not one that this list gave.');
    }
    const revisions = parseLog(requireDone(outcome, 'read its history').toString('utf8'));
    return { ok: true, page: { data: revisions.slice(0, limit), nextCursor: revisions[limit]?.revision ?? null } };
  };

  /** Only this process changes it, and every change is followed by a pass. */
  watch(): void {}

  async close(): Promise<void> {
    this.#abort.abort();
  }

  #open(): Promise<void> {
    this.#opened ??= this.#prepare().catch((error) => {
      this.#opened = null;
      throw error;
    });
    return this.#opened;
  }

  async #prepare(): Promise<void> {
    const refusal = await refuseOldGit(this.#environment);
    if (refusal !== null) throw new AppError('source_unavailable', refusal.message);
    await makeFolder(this.#gitDir, { mode: 0o700, isDurable: true });
    const init = ['init', '--quiet', '--bare', '--template=', '--initial-branch=main'];
    requireDone(await this.#git({ args: init, config: DURABLE }), 'be created');
    const pack = { args: ['gc', '--auto', '--quiet'], config: [['gc.auto', String(MAX_LOOSE_OBJECTS)]] as const };
    requireDone(await this.#git({ ...pack, config: [...DURABLE, ...pack.config] }), 'be packed');
  }

  #git(command: Pick<GitCommand, 'args' | 'stdin' | 'config'>): Promise<GitOutcome> {
    return runGit({
      ...command,
      gitDir: this.#gitDir,
      environment: this.#environment,
      timeoutMs: TIMEOUT_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      signal: this.#abort.signal,
    });
  }
}

/** The stream of `git fast-import` for one commit on top of `from`; it prints the new commit's id. */
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

/** Counted in bytes, so that nothing in it is read as a command. */
function data(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')]);
}

function quotePath(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

/** What git takes as a name: no angle brackets, no control characters. */
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

/** What git printed; throws where it did not end well. */
function requireDone(outcome: GitOutcome, what: string): Buffer {
  if (outcome.kind === 'exited' && outcome.code === 0) return outcome.stdout;
  const why = outcome.kind === 'exited' ? outcome.stderr.trim() : outcome.kind;
  throw new AppError('source_unavailable', `the repository of the factory could not ${what}`, {
    cause: new Error(`git: ${why}`),
  });
}
