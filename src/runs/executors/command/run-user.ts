import { execFile } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { promisify } from 'node:util';
import { AppError, messageOf } from '../../../domain/errors.ts';
import { makeFolder } from '../../../platform/files/make-folder.ts';

const execute = promisify(execFile);

/** All users can enter the folder; only the daemon can list it. */
export const PASS_THROUGH_MODE = 0o711;

/** The user of the machine that starts runs. */
export interface RunUser {
  /** As the configuration names it. */
  name: string;
  uid: number;
  /** Primary group, the only group of the run. */
  gid: number;
}

/**
 * Looks up `runs.executor.user`: the name of a user, or `uid:gid`. Throws `config_invalid` if the user does not exist or is
 * root, or if this process cannot start programs as another user.
 * @param searchPath where the program `id` is looked up
 */
export async function findRunUser(name: string, searchPath: string): Promise<RunUser> {
  // With a capability instead of root, the run would inherit it and could become any user.
  if (process.getuid?.() !== 0) {
    throw invalid(name, 'only a daemon that runs as root can start runs as another user');
  }
  const [uid, gid] = /^\d+:\d+$/.test(name) ? name.split(':').map(Number) : await askForIds(name, searchPath);
  if (uid === 0 || gid === 0) throw invalid(name, 'a run with user or group 0 has the permissions of the daemon');
  return { name, uid: uid!, gid: gid! };
}

async function askForIds(name: string, searchPath: string): Promise<number[]> {
  const ask = async (what: '-u' | '-g') => {
    const { stdout } = await execute('id', [what, '--', name], { env: { PATH: searchPath } });
    return Number(stdout);
  };
  try {
    return [await ask('-u'), await ask('-g')];
  } catch (error) {
    throw invalid(name, `the machine does not have this user (${messageOf(error).trim()})`);
  }
}

/**
 * Creates the folder of all runs, which the user can enter but not list. Throws `config_invalid` if the user cannot enter a
 * folder above it: the run would find none of its files.
 */
export async function openRunsDir(runsDir: string, user: RunUser, searchPath: string): Promise<void> {
  await makeFolder(runsDir, { mode: PASS_THROUGH_MODE });
  await chmod(runsDir, PASS_THROUGH_MODE);
  try {
    await execute('ls', ['-d', '--', `${runsDir}/.`], { uid: user.uid, gid: user.gid, env: { PATH: searchPath } });
  } catch {
    throw invalid(
      user.name,
      `this user cannot enter ${runsDir}; set runsDir to a folder outside of dataDir, such as /var/lib/dockbell-runs, and give all users execute permission on the folders above it`,
    );
  }
}

function invalid(name: string, problem: string): AppError {
  return new AppError('config_invalid', `runs.executor.user ${name} cannot be used: ${problem}`);
}
