import { chmod, chown, type FileHandle, mkdir, open, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentFileContent } from '../../../domain/definitions/agent-files.ts';
import { AppError } from '../../../domain/errors.ts';
import type { ExecutionRequest } from '../../../domain/ports/executor.ts';
import { makeFolder } from '../../../platform/files/make-folder.ts';
import { removeAttemptTree, removeTree } from '../files/remove-run-folder.ts';
import { attemptFolder, payloadFile, runFolder } from '../files/run-paths.ts';
import type { RunPlaces } from './run-environment.ts';
import { PASS_THROUGH_MODE, type RunUser } from './run-user.ts';

/** The directory of one attempt. */
export interface RunDirectory extends Omit<RunPlaces, 'workspace'> {
  /** `prompt.md`, open for reading: the standard input. The caller must close it. */
  prompt: FileHandle;
  /** Path of the pipe for the output, outside the working directory. */
  outputPipe: string;
}

/**
 * Creates the directory of an attempt, `<runsDir>/<run>/<attempt>/`, with its three files and the agent files, readable only
 * by the user of the run (`null` for the user of the daemon). It is kept for inspection until retention removes the run. The
 * folder for temporary files next to it is deleted at the end of the attempt.
 */
export async function prepareRunDirectory(
  runsDir: string,
  request: ExecutionRequest,
  user: RunUser | null,
): Promise<RunDirectory> {
  const { input, documents } = request;
  const folder = runFolder(runsDir, input.run.id);
  const work = attemptFolder(runsDir, input.run);
  const promptFile = join(work, 'prompt.md');
  const directory = {
    work,
    temporary: `${work}.tmp`,
    payload: payloadFile(runsDir, input.run),
    outputPipe: `${work}.output`,
  };
  await makeFolder(folder, { mode: 0o700 });
  if (user !== null) await chmod(folder, PASS_THROUGH_MODE);
  await makeEmpty(directory.work);
  await makeEmpty(directory.temporary);
  await removeTree(directory.outputPipe);
  await writeOnce(promptFile, documents.promptFile, user);
  await writeOnce(directory.payload, input.payload, user);
  await writeOnce(join(work, 'run.json'), documents.runFile, user);
  await writeAgentFiles(join(work, AGENT_FILES_FOLDER), await request.readAgentFiles(), user);
  const prompt = await open(promptFile, 'r');
  // Last: once the user owns the directory, the user can replace everything in it.
  await giveTo(user, directory.temporary);
  await giveTo(user, directory.work);
  return { ...directory, prompt };
}

async function makeEmpty(path: string): Promise<void> {
  await removeAttemptTree(path);
  await mkdir(path, { mode: 0o700 });
}

async function writeOnce(path: string, content: string | Uint8Array, user: RunUser | null): Promise<void> {
  await writeFile(path, content, { flag: 'wx', mode: 0o600 });
  await giveTo(user, path);
}

/** Folder in the directory of a run that contains `agents/`, `runners/` and `skills/`. */
const AGENT_FILES_FOLDER = 'definition';

const FILE_MODE = 0o400;
const FOLDER_MODE = 0o500;

/**
 * Writes agent files into a new folder, which the user of the run can read and not change. Without files, there is no folder.
 * Throws `internal` for a path that leaves the folder.
 */
async function writeAgentFiles(
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
