import { readdir } from 'node:fs/promises';
import { systemErrorCode } from '../../core/errors.ts';

/** Names in a folder; none if the folder does not exist. */
export async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
