import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from './open-foundation.ts';

const AUTHOR = { name: 'Dockbell demo', email: 'demo@dockbell.invalid' };

/**
 * Makes a git repository from the example factory, with one commit on `main`. One that is there already is left as its
 * user has changed it.
 */
export async function ensureDemoRepository(example: string, folder: string, env: Environment): Promise<void> {
  if (existsSync(join(folder, '.git'))) return;
  await cp(example, folder, { recursive: true });
  await git(folder, env, ['init', '--quiet', '--initial-branch=main']);
  await git(folder, env, ['add', '--all']);
  await git(folder, env, ['commit', '--quiet', '--message=The example factory']);
}

/** Nothing of the user's own git configuration (signing, hooks, templates) takes part. */
async function git(cwd: string, { PATH }: Environment, args: readonly string[]): Promise<void> {
  const identity = {
    ...{ GIT_AUTHOR_NAME: AUTHOR.name, GIT_AUTHOR_EMAIL: AUTHOR.email },
    ...{ GIT_COMMITTER_NAME: AUTHOR.name, GIT_COMMITTER_EMAIL: AUTHOR.email },
  };
  const env = { PATH, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', ...identity };
  await promisify(execFile)('git', [...args], { cwd, env });
}
