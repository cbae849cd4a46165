import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { SimpleGit } from 'simple-git';
import { openGit } from '../../src/reconcile/source/own-git.ts';

/** Files by path; `null` deletes. */
export type RepoFiles = Record<string, string | Uint8Array | null>;

/** An entry of a tree that a work tree cannot contain. */
export interface RawEntry {
  mode: '100644' | '100755' | '120000' | '160000';
  name: string | Uint8Array;
  content?: string | Uint8Array;
}

/** A real git repository in a temporary folder. It does not read the user's git configuration. */
export interface TempGitRepo {
  /** The URL for a source: the work tree, or the bare repository. */
  path: string;
  /** The folder that contains all its files. */
  root: string;
  branch: string;
  /** Runs git in the repository and returns its trimmed output. */
  git(args: string[], input?: string | Uint8Array): Promise<string>;
  /**
   * Commits files to the branch. A bare repository gets them by a push, as from a team. Returns the commit.
   *
   * @param author such as `Eve <eve@example.com>`
   */
  commit(files: RepoFiles, message?: string, author?: string): Promise<string>;
  /** Replaces the branch with one commit without a parent. Returns the commit. */
  forcePush(files: RepoFiles): Promise<string>;
  /** Commits a tree whose folder `webhooks` contains exactly these entries. Returns the commit. */
  commitRawWebhooks(entries: RawEntry[]): Promise<string>;
  createBranch(name: string): Promise<void>;
  deleteBranch(name: string): Promise<void>;
  packRefs(): Promise<void>;
  /** Adds a linked work tree on a separate branch and returns its path. */
  addWorktree(name: string): Promise<string>;
  remove(): void;
}

export interface TestGitOptions {
  /** Standard input of git. */
  input?: string | Uint8Array;
  /** `false`: git has no name and no email address for commits, unless the repository configures them. */
  hasIdentity?: boolean;
}

/**
 * The complete environment of git. No configuration of the user is read: `HOME` does not exist. simple-git rejects
 * `GIT_CONFIG_GLOBAL` without an `unsafe` switch.
 */
const ISOLATED = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
};

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
};

/** Runs git without the configuration of any user and returns its trimmed output. Throws if git fails. */
export async function runTestGit(cwd: string, args: string[], options: TestGitOptions = {}): Promise<string> {
  try {
    return await openTestGit(cwd, options).raw(args);
  } catch (error) {
    throw new Error(`git ${args.join(' ')} failed: ${(error as Error).message}`, { cause: error });
  }
}

function openTestGit(baseDir: string, { input, hasIdentity = true }: TestGitOptions = {}): SimpleGit {
  const variables: Record<string, string> = hasIdentity ? { ...ISOLATED, ...IDENTITY } : ISOLATED;
  return openGit(variables, {
    baseDir,
    trimmed: true,
    ...(input === undefined ? {} : { input: () => Buffer.from(input) }),
  });
}

/** Creates an empty repository with a work tree, or a bare one for pushes. */
export async function createTempGitRepo(
  options: { bare?: boolean; branch?: string; path?: string } = {},
): Promise<TempGitRepo> {
  const branch = options.branch ?? 'main';
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'dockbell-repo-')));
  const path = options.path ?? join(root, options.bare ? 'origin.git' : 'work');
  const work = options.bare ? join(root, 'clone') : path;
  initialize(join(work, '.git'), branch, false);
  if (options.bare) initialize(path, branch, true);
  const workTree = openTestGit(work);
  const git = (args: string[], input?: string | Uint8Array) => runTestGit(path, args, { input });
  const publish = async (files: RepoFiles, message: string, { isForced = false, author = '' } = {}) => {
    for (const [name, content] of Object.entries(files)) writeWorkFile(join(work, name), content);
    await workTree.add(['--all']);
    const { commit } = await workTree.commit(message, [
      '--allow-empty',
      ...(author === '' ? [] : [`--author=${author}`]),
    ]);
    if (options.bare) await workTree.push(path, `${commit}:refs/heads/${branch}`, isForced ? ['--force'] : []);
    return commit;
  };
  return {
    path,
    root,
    branch,
    git,
    commit: (files, message = 'change', author = '') => publish(files, message, { author }),
    async forcePush(files) {
      await workTree.raw(['update-ref', '-d', 'HEAD']);
      await workTree.raw(['rm', '-r', '-f', '--cached', '--ignore-unmatch', '.']);
      await workTree.clean('f', ['-d', '-x']);
      return publish(files, 'another history', { isForced: true });
    },
    async commitRawWebhooks(entries) {
      const lines: Buffer[] = [];
      for (const entry of entries) lines.push(await formatTreeLine(git, entry));
      const webhooks = await git(['mktree', '-z', '--missing'], Buffer.concat(lines));
      const tree = await git(['mktree'], `040000 tree ${webhooks}\twebhooks\n`);
      const made = await git(['commit-tree', '-m', 'raw', tree]);
      await git(['update-ref', `refs/heads/${branch}`, made]);
      return made;
    },
    createBranch: async (name) => void (await git(['branch', name])),
    deleteBranch: async (name) => void (await git(['update-ref', '-d', `refs/heads/${name}`])),
    packRefs: async () => void (await git(['pack-refs', '--all'])),
    async addWorktree(name) {
      const linked = join(root, name);
      await git(['worktree', 'add', '-b', name, linked]);
      return linked;
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Like `git init`, without a process. Automatic packing is off, because it would start git after each commit and push. */
function initialize(gitDir: string, branch: string, isBare: boolean): void {
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags']) {
    mkdirSync(join(gitDir, folder), { recursive: true });
  }
  writeFileSync(join(gitDir, 'HEAD'), `ref: refs/heads/${branch}\n`);
  writeFileSync(
    join(gitDir, 'config'),
    `[core]
\trepositoryformatversion = 0
\tbare = ${isBare}
[maintenance]
\tauto = false
[receive]
\tautogc = false
`,
  );
}

function writeWorkFile(path: string, content: string | Uint8Array | null): void {
  mkdirSync(dirname(path), { recursive: true });
  if (content === null) rmSync(path, { force: true });
  else writeFileSync(path, content);
}

async function formatTreeLine(git: TempGitRepo['git'], entry: RawEntry): Promise<Buffer> {
  const isSubmodule = entry.mode === '160000';
  const objectId = isSubmodule ? '1'.repeat(40) : await git(['hash-object', '-w', '--stdin'], entry.content ?? 'x');
  const head = `${entry.mode} ${isSubmodule ? 'commit' : 'blob'} ${objectId}\t`;
  return Buffer.concat([Buffer.from(head), Buffer.from(entry.name), Buffer.from([0])]);
}
