import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { SMALL_PACK_WINDOWS } from './git-process.ts';

/** A repository on this machine: its `.git` folder (or itself, if bare), and the folder with the refs of all work trees. */
interface LocalRepository {
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

/** The operator configured this repository, so it is trusted regardless of its owner. git reads that from a global file only. */
export async function trustInConfig(commonDir: string): Promise<string> {
  const real = await realPathOf(commonDir);
  const paths = new Set([commonDir, real, dirname(commonDir), dirname(real)]);
  const lines = Array.from(paths, (path) => `\tdirectory = "${path.replace(/["\\]/g, '\\$&')}"\n`);
  return `[safe]\n${lines.join('')}`;
}

/** The git process that sends from a local repository reads only this file, and has the same memory limit. */
export function formatPackWindows(): string {
  const lines = SMALL_PACK_WINDOWS.map(([key, value]) => `\t${key.replace('core.', '')} = ${value}\n`);
  return `[core]\n${lines.join('')}`;
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
