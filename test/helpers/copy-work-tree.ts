import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { simpleGit } from 'simple-git';
import { createTempDir } from './temp-dir.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The files of a fresh clone of the work tree, without dependencies. */
export async function copyWorkTree(): Promise<string> {
  const folder = createTempDir('clone');
  // With the user's git configuration, because it may allow this clone, which can belong to another user.
  const listed = await simpleGit(ROOT).raw(['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  for (const file of listed.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name)))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
  return folder;
}
