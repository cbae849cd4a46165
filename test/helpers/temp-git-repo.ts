import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Files by path; `null` deletes. */
export type RepoFiles = Record<string, string | Uint8Array | null>;

/** One entry of a tree that no work tree could hold. */
export interface RawEntry {
  mode: '100644' | '100755' | '120000' | '160000';
  name: string | Uint8Array;
  content?: string | Uint8Array;
}

/** A real git repository in a temporary folder, untouched by anybody's git configuration. */
export interface TempGitRepo {
  /** What a source is pointed at: the work tree, or the bare repository. */
  path: string;
  /** The folder that holds everything of it. */
  root: string;
  branch: string;
  /** Runs git in the repository and answers with its trimmed output. */
  git(args: string[], input?: string | Uint8Array): string;
  /** Commits files to the branch; to a bare repository by a push, as a team would. Answers with the commit. */
  commit(files: RepoFiles, message?: string): string;
  /** Replaces the branch by one commit without a parent. */
  forcePush(files: RepoFiles): string;
  /** Commits a tree whose folder `webhooks` holds exactly these entries. */
  commitRawWebhooks(entries: RawEntry[]): string;
  createBranch(name: string): void;
  deleteBranch(name: string): void;
  packRefs(): void;
  /** Adds a linked work tree on a branch of its own and answers with its path. */
  addWorktree(name: string): string;
  remove(): void;
}

const ISOLATED = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
};

/** Runs git with nobody's configuration. */
export function runTestGit(cwd: string, args: string[], input?: string | Uint8Array): string {
  const options = { cwd, env: ISOLATED, stdio: 'pipe', maxBuffer: 64_000_000 } as const;
  return execFileSync('git', args, input === undefined ? options : { ...options, input })
    .toString('utf8')
    .trim();
}

/** Creates an empty repository with a work tree, or a bare one that is pushed to. */
export function createTempGitRepo(options: { bare?: boolean; branch?: string; path?: string } = {}): TempGitRepo {
  const branch = options.branch ?? 'main';
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'dockbell-repo-')));
  const path = options.path ?? join(root, options.bare ? 'origin.git' : 'work');
  const work = options.bare ? join(root, 'clone') : path;
  runTestGit(root, ['init', '--quiet', '-b', branch, work]);
  if (options.bare) {
    runTestGit(root, ['init', '--quiet', '--bare', '-b', branch, path]);
    runTestGit(work, ['remote', 'add', 'origin', path]);
  }
  const git = (args: string[], input?: string | Uint8Array) => runTestGit(path, args, input);
  const publish = (commit: string, force: boolean) => {
    if (options.bare)
      runTestGit(work, ['push', '--quiet', ...(force ? ['--force'] : []), 'origin', `${commit}:refs/heads/${branch}`]);
    return commit;
  };
  const commit = (files: RepoFiles, message = 'change') => {
    for (const [name, content] of Object.entries(files)) writeWorkFile(join(work, name), content);
    runTestGit(work, ['add', '--all']);
    runTestGit(work, ['commit', '--quiet', '--allow-empty', '-m', message]);
    return publish(runTestGit(work, ['rev-parse', 'HEAD']), false);
  };
  return {
    path,
    root,
    branch,
    git,
    commit,
    forcePush(files) {
      runTestGit(work, ['update-ref', '-d', 'HEAD']);
      runTestGit(work, ['rm', '-r', '-f', '--quiet', '--cached', '--ignore-unmatch', '.']);
      runTestGit(work, ['clean', '-f', '-d', '-x', '--quiet']);
      for (const [name, content] of Object.entries(files)) writeWorkFile(join(work, name), content);
      runTestGit(work, ['add', '--all']);
      runTestGit(work, ['commit', '--quiet', '-m', 'another history']);
      return publish(runTestGit(work, ['rev-parse', 'HEAD']), true);
    },
    commitRawWebhooks(entries) {
      const webhooks = git(['mktree', '-z', '--missing'], Buffer.concat(entries.map((entry) => treeLine(git, entry))));
      const tree = git(['mktree'], `040000 tree ${webhooks}\twebhooks\n`);
      const made = git(['commit-tree', '-m', 'raw', tree]);
      git(['update-ref', `refs/heads/${branch}`, made]);
      return made;
    },
    createBranch: (name) => void git(['branch', name]),
    deleteBranch: (name) => void git(['update-ref', '-d', `refs/heads/${name}`]),
    packRefs: () => void git(['pack-refs', '--all']),
    addWorktree(name) {
      const linked = join(root, name);
      git(['worktree', 'add', '--quiet', '-b', name, linked]);
      return linked;
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

function writeWorkFile(path: string, content: string | Uint8Array | null): void {
  mkdirSync(dirname(path), { recursive: true });
  if (content === null) rmSync(path, { force: true });
  else writeFileSync(path, content);
}

function treeLine(git: TempGitRepo['git'], entry: RawEntry): Buffer {
  const isSubmodule = entry.mode === '160000';
  const objectId = isSubmodule ? '1'.repeat(40) : git(['hash-object', '-w', '--stdin'], entry.content ?? 'x');
  const head = `${entry.mode} ${isSubmodule ? 'commit' : 'blob'} ${objectId}\t`;
  return Buffer.concat([Buffer.from(head), Buffer.from(entry.name), Buffer.from([0])]);
}
