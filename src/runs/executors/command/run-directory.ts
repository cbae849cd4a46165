import { chmod, chown, type FileHandle, mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionRequest } from '../../../domain/ports/runs/executor.ts';
import { makeFolder } from '../../../platform/files/make-folder.ts';
import { removeAttemptTree, removeTree } from '../files/remove-run-folder.ts';
import { attemptFolder, payloadFile, runFolder } from '../files/run-paths.ts';
import type { RunPlaces } from './run-environment.ts';
import { PASS_THROUGH_MODE, type RunUser } from './run-user.ts';
import { AGENT_FILES_FOLDER, writeAgentFiles } from './write-agent-files.ts';

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

async function giveTo(user: RunUser | null, path: string): Promise<void> {
  if (user !== null) await chown(path, user.uid, user.gid);
}

async function writeOnce(path: string, content: string | Uint8Array, user: RunUser | null): Promise<void> {
  await writeFile(path, content, { flag: 'wx', mode: 0o600 });
  await giveTo(user, path);
}
