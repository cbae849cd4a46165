import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, messageOf } from '../../domain/errors.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import { makeFolder } from '../../platform/files/make-folder.ts';
import { useOwnGit } from '../../reconcile/source/own-git.ts';

/** Stays in the repository, so that a user without a git identity can commit there. */
const AUTHOR = { name: 'Dockbell demo', email: 'demo@dockbell.invalid' };
const TIMEOUT_MS = 30_000;

/**
 * Makes a git repository from the example factory, with one commit on `main`. One that is there already is left as its
 * user has changed it.
 */
export async function ensureDemoRepository(example: string, folder: string, environment: Environment): Promise<void> {
  if (existsSync(join(folder, '.git'))) return;
  await makeFolder(folder).catch((cause) => {
    throw new AppError('config_invalid', messageOf(cause), { cause });
  });
  await cp(example, folder, { recursive: true });
  await useOwnGit({ dir: folder, isBare: false, environment, timeoutMs: TIMEOUT_MS }, async (git) => {
    await git.init(['--initial-branch=main']);
    await git.addConfig('user.name', AUTHOR.name).addConfig('user.email', AUTHOR.email);
    await git.add(['--all']);
    await git.commit('The example factory');
  });
}
