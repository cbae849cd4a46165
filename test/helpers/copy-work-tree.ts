import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
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

/** What `npm run build` makes for modules and types to import. */
const MADE = ['schemas/openapi.json', 'src/client/openapi.d.ts'];

/** As `copyWorkTree`, with links to the installed packages. The program is not built. */
export async function copyWithPackages(): Promise<string> {
  const folder = await copyWorkTree();
  for (const name of ['node_modules', 'test/providers/node_modules']) symlinkSync(join(ROOT, name), join(folder, name));
  for (const file of MADE) cpSync(join(ROOT, file), join(folder, file));
  return folder;
}
