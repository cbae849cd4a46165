import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Builds, unless the hash in `stamp` shows that the sources and packages have not changed since the last build.
 *
 * @param sources files and folders; tests in folders are ignored
 * @param made files and folders that the build makes: it is repeated if one is missing, and they are deleted before
 */
export async function buildOnce({ sources, stamp, made, build }) {
  const hash = hashSources(sources);
  if ([stamp, ...made].every(existsSync) && readFileSync(stamp, 'utf8') === hash) return;
  for (const path of [stamp, ...made]) rmSync(path, { recursive: true, force: true });
  await build();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, hash);
}

function hashSources(sources) {
  const files = sources.flatMap((path) => (statSync(path).isDirectory() ? listFiles(path) : [path]));
  const hash = createHash('sha256');
  for (const file of [...files.sort(), 'package-lock.json']) hash.update(file).update('\0').update(readFileSync(file));
  return hash.digest('hex');
}

function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}
