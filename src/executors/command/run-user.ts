import { execFile } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { promisify } from 'node:util';
import { AppError, messageOf } from '../../core/errors.ts';
import { makeFolder } from '../../files/make-folder.ts';

const execute = promisify(execFile);

/** Everybody may pass through, nobody but the daemon may list. */
export const PASS_THROUGH_MODE = 0o711;

/** The user of the machine that runs are started as. */
export interface RunUser {
  /** As the configuration names it. */
  name: string;
  uid: number;
  /** Primary group. The run has no other one. */
  gid: number;
}

/**
 * Looks up `runs.executor.user`: the name of a user, or `uid:gid`. Throws `config_invalid` if there is no such user, if it
 * is root, or if this process may not start programs as another user.
 * @param searchPath where the program `id` is found
 */
export async function findRunUser(name: string, searchPath: string): Promise<RunUser> {
  // A capability in place of root would stay with the run, which could become any user with it.
  if (process.getuid?.() !== 0) {
    throw invalid(name, 'only a daemon that runs as root can start runs as another user');
  }
  const [uid, gid] = /^\d+:\d+$/.test(name) ? name.split(':').map(Number) : await askForIds(name, searchPath);
  if (uid === 0 || gid === 0) throw invalid(name, 'a run with user or group 0 has the rights of the daemon');
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
    throw invalid(name, `the machine has no such user (${messageOf(error).trim()})`);
  }
}

/**
 * Makes the folder of all runs, which the user may pass through but not list. Throws `config_invalid` if a folder above it
 * does not let the user pass: the run would start and find none of its files.
 */
export async function openRunsDir(runsDir: string, user: RunUser, searchPath: string): Promise<void> {
  await makeFolder(runsDir, { mode: PASS_THROUGH_MODE });
  await chmod(runsDir, PASS_THROUGH_MODE);
  try {
    await execute('ls', ['-d', '--', `${runsDir}/.`], { uid: user.uid, gid: user.gid, env: { PATH: searchPath } });
  } catch {
    throw invalid(
      user.name,
      `this user cannot enter ${runsDir}; set runsDir to a folder outside of dataDir, such as /var/lib/dockbell-runs, and give everybody execute permission on the folders above it`,
    );
  }
}

function invalid(name: string, problem: string): AppError {
  return new AppError('config_invalid', `runs.executor.user ${name} cannot be used: ${problem}`);
}
