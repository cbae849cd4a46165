import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** A repository on this machine: its `.git` folder (or itself, if bare), and the folder with the refs of all work trees. */
export interface LocalRepository {
  gitDir: string;
  commonDir: string;
}

/** Finds the repository at a path, as git does: a work tree (also a linked one), a bare repository, or `PATH.git`. */
export async function resolveLocalRepository(path: string): Promise<LocalRepository | null> {
  for (const candidate of [join(path, '.git'), path, `${path}.git`]) {
    const gitDir = await followGitFile(candidate);
    if (gitDir === null) continue;
    const commonDir = await readCommonDir(gitDir);
    if (await isGitDirectory(gitDir, commonDir)) return { gitDir, commonDir };
  }
  return null;
}

/** The nearest folder at or above `dir` that contains `.git`; `null` outside a work tree. */
export async function findWorkTreeRoot(dir: string): Promise<string | null> {
  for (let current = dir; ; current = dirname(current)) {
    if (await exists(join(current, '.git'))) return current;
    if (current === dirname(current)) return null;
  }
}

/** The real path, or the path itself if it does not exist. */
export async function realPathOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}

async function followGitFile(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => null);
  if (found === null) return null;
  if (found.isDirectory()) return path;
  if (!found.isFile() || found.size > 65_536) return null;
  const target = /^gitdir: (.+?)\r?\n?$/.exec(await readText(path))?.[1];
  return target === undefined ? null : resolve(dirname(path), target);
}

async function readCommonDir(gitDir: string): Promise<string> {
  const target = (await readText(join(gitDir, 'commondir'))).trim();
  return target === '' ? gitDir : resolve(gitDir, target);
}

async function isGitDirectory(gitDir: string, commonDir: string): Promise<boolean> {
  return (await exists(join(gitDir, 'HEAD'))) && (await exists(join(commonDir, 'objects')));
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
