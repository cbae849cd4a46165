import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Writes what the program says about its build (`src/platform/files/build-identity.ts`). After each build, because commits change more than sources. */
export function writeBuildIdentity(): void {
  const identity = { commit: readCommit(ROOT), builtAt: readBuildTime().toISOString(), sqlite: readSqliteVersion() };
  writeFileSync(join(ROOT, 'dist/build.json'), `${JSON.stringify(identity)}\n`);
}

/** The commit in DOCKBELL_BUILD_COMMIT, otherwise the one of git, with `-dirty` if sources differ from it; `null` without a repository. */
export function readCommit(root: string): string | null {
  return process.env.DOCKBELL_BUILD_COMMIT || askGit(root) || readHead(root);
}

function askGit(root: string): string | null {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    // The sources may be in a folder of another repository.
    if (relative(realpathSync(root), git('rev-parse', '--show-toplevel')) !== '') return null;
    const isDirty = git('status', '--porcelain', '--untracked-files=no', '--', 'src', 'schemas') !== '';
    return `${git('rev-parse', 'HEAD')}${isDirty ? '-dirty' : ''}`;
  } catch {
    return null;
  }
}

/** The image is built without git, and gets only these files of the repository (`.dockerignore`). */
function readHead(root: string): string | null {
  const read = (path: string) =>
    existsSync(join(root, '.git', path)) ? readFileSync(join(root, '.git', path), 'utf8') : '';
  const head = read('HEAD').trim();
  const [, ref] = /^ref: (refs\/heads\/.+)$/.exec(head) ?? [];
  const packed = read('packed-refs')
    .split('\n')
    .find((line) => line.endsWith(` ${ref}`));
  const commit = ref === undefined ? head : read(ref).trim() || (packed?.split(' ')[0] ?? '');
  return /^[0-9a-f]{40,64}$/.test(commit) ? commit : null;
}

/** SOURCE_DATE_EPOCH if set, so that the same commit makes the same bytes. */
function readBuildTime(): Date {
  const given = process.env.SOURCE_DATE_EPOCH;
  if (given !== undefined && /^\d+$/.test(given)) return new Date(Number(given) * 1000);
  return statSync(join(ROOT, 'dist/main.js')).mtime;
}

function readSqliteVersion(): string {
  const db = new Database(':memory:');
  try {
    return db.prepare<[], string>('SELECT sqlite_version()').pluck().get()!;
  } finally {
    db.close();
  }
}
