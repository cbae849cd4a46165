import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentFileContent } from '../../../domain/agent-files.ts';
import { AppError } from '../../../domain/errors.ts';
import type { RunUser } from './run-user.ts';

/** Folder in the directory of a run that contains `agents/`, `runners/` and `skills/`. */
export const AGENT_FILES_FOLDER = 'definition';

const FILE_MODE = 0o400;
const FOLDER_MODE = 0o500;

/**
 * Writes agent files into a new folder, which the user of the run can read and not change. Without files, there is no folder.
 * Throws `internal` for a path that leaves the folder.
 */
export async function writeAgentFiles(
  folder: string,
  files: readonly AgentFileContent[],
  user: RunUser | null,
): Promise<void> {
  if (files.length === 0) return;
  const folders = listFolders(folder, files.map(checkPath));
  for (const path of folders) await mkdir(path, { mode: 0o700 });
  for (const { path, bytes } of files) {
    await writeFile(join(folder, path), bytes, { flag: 'wx', mode: FILE_MODE });
    await giveTo(user, join(folder, path));
  }
  // The innermost folders first: then no folder is read-only before everything in it is written.
  for (const path of folders.reverse()) {
    await giveTo(user, path);
    await chmod(path, FOLDER_MODE);
  }
}

/** The folder and all folders below it that the paths need, parents first. */
function listFolders(folder: string, paths: readonly string[]): string[] {
  const folders = new Set<string>(['.']);
  for (const path of paths) {
    for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) folders.add(parent);
  }
  return [...folders].sort().map((path) => join(folder, path));
}

/** The source has checked the names of a tree. This is the last check before they become paths on this machine. */
function checkPath({ path }: AgentFileContent): string {
  const isSafe = path.split('/').every((name) => name !== '' && name !== '.' && name !== '..' && !name.includes('\0'));
  if (!isSafe) throw new AppError('internal', `the agent file ${JSON.stringify(path)} has no usable path`);
  return path;
}

async function giveTo(user: RunUser | null, path: string): Promise<void> {
  if (user !== null) await chown(path, user.uid, user.gid);
}
