import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transform } from 'node:stream';
import { messageOf, systemErrorCode } from '../../../domain/errors.ts';
import {
  MAX_OUTPUT_BYTES,
  maskTexts,
  OUTPUT_FILE,
  parseRunOutput,
  type RunOutput,
  rejectOutput,
} from '../../../domain/runs/run-output.ts';

/**
 * Reads what a run says about its work from its directory; `null` if it has no `result.json`. Never throws: a file that
 * cannot be used does not change how the run ended. The run wrote everything in the directory, so no link in it is followed.
 *
 * @param keep gets the artifacts that the run names, before their names are masked
 */
export async function readRunOutput(
  work: string,
  createMask: () => Transform,
  keep: (artifacts: RunOutput['artifacts']) => Promise<void>,
): Promise<RunOutput | null> {
  try {
    const source = await readSource(join(work, OUTPUT_FILE));
    if (source === null) return null;
    if (typeof source !== 'string') return source;
    const output = parseRunOutput(source);
    const missing = await findMissing(work, output);
    if (missing === null) await keep(output.artifacts);
    return await maskTexts(missing ?? output, (text) => maskText(text, createMask()));
  } catch (error) {
    return rejectOutput(`it cannot be read: ${messageOf(error)}`);
  }
}

/** The text of the file; an output that says why it is not used; `null` if there is none. */
async function readSource(path: string): Promise<string | RunOutput | null> {
  const file = await openFile(path);
  if (file === null || 'problem' in file) return file;
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.nlink !== 1) return rejectOutput('it is not a regular file with one name');
    const bytes = Buffer.alloc(MAX_OUTPUT_BYTES + 1);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    if (bytesRead > MAX_OUTPUT_BYTES) return rejectOutput(`it is larger than ${MAX_OUTPUT_BYTES} bytes`);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, bytesRead));
  } catch (error) {
    if (error instanceof TypeError) return rejectOutput('it is not valid UTF-8');
    throw error;
  } finally {
    await file.close();
  }
}

async function openFile(path: string): Promise<FileHandle | RunOutput | null> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT') return null;
    return rejectOutput(code === 'ELOOP' ? 'it is a symbolic link' : `it cannot be opened (${code})`);
  }
}

/** An output that names a file which the run did not write. */
async function findMissing(work: string, { artifacts }: RunOutput): Promise<RunOutput | null> {
  for (const [index, { path }] of artifacts.entries()) {
    if (!(await isFileInside(work, path))) {
      return rejectOutput(`artifacts[${index}].path names no regular file in the directory of the run`);
    }
  }
  return null;
}

async function isFileInside(work: string, path: string): Promise<boolean> {
  const parts = path.split('/');
  for (const index of parts.keys()) {
    const found = await lstat(join(work, ...parts.slice(0, index + 1))).catch(() => null);
    const isLast = index === parts.length - 1;
    if (found === null || !(isLast ? found.isFile() : found.isDirectory())) return false;
  }
  return true;
}

async function maskText(text: string, mask: Transform): Promise<string> {
  mask.end(text);
  return Buffer.concat(await mask.toArray()).toString('utf8');
}
