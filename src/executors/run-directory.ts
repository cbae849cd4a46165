import { type FileHandle, mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionRequest } from '../core/ports/executor.ts';
import { makeFolder } from '../files/make-folder.ts';
import type { RunPlaces } from './run-environment.ts';
import { removeTree } from './run-files.ts';
import { runFolder } from './run-paths.ts';

/** The directory of one attempt. */
export interface RunDirectory extends RunPlaces {
  /** `prompt.md`, open for reading: the standard input. To be closed by the caller. */
  prompt: FileHandle;
  /** Where the pipe for the output is made; outside the working directory. */
  outputPipe: string;
}

/**
 * Makes the directory of an attempt, `<runsDir>/<run>/<attempt>/`, with its three files in it, readable by the daemon's
 * user only. It stays after the run has ended, for people to look at, until retention removes the run; the folder for
 * temporary files beside it goes with the end of the attempt.
 */
export async function prepareRunDirectory(runsDir: string, request: ExecutionRequest): Promise<RunDirectory> {
  const { input, documents } = request;
  const folder = runFolder(runsDir, input.run.id);
  const work = join(folder, String(input.run.attempt));
  const promptFile = join(work, 'prompt.md');
  const directory = {
    work,
    temporary: `${work}.tmp`,
    payload: join(work, 'event-payload.json'),
    outputPipe: `${work}.output`,
  };
  await makeFolder(folder, { mode: 0o700 });
  await makeEmpty(directory.work);
  await makeEmpty(directory.temporary);
  await removeTree(directory.outputPipe);
  await writeOnce(promptFile, documents.promptFile);
  await writeOnce(directory.payload, input.payload);
  await writeOnce(join(work, 'run.json'), documents.runFile);
  return { ...directory, prompt: await open(promptFile, 'r') };
}

async function makeEmpty(path: string): Promise<void> {
  await removeTree(path);
  await mkdir(path, { mode: 0o700 });
}

function writeOnce(path: string, content: string | Uint8Array): Promise<void> {
  return writeFile(path, content, { flag: 'wx', mode: 0o600 });
}
