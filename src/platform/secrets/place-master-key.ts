import { link, readFile } from 'node:fs/promises';
import { removeDraftsOf, writeDurably } from '../files/write-durably.ts';

/**
 * Replaces the key file. The earlier key stays next to it, because earlier backups need it. Does nothing if the file has
 * the key already, except that it removes the temporary files of earlier calls that were killed: they hold the key. Throws
 * system errors.
 *
 * @returns the file with the earlier key; `null` if nothing was replaced
 */
export async function placeMasterKey(keyFile: string, key: Uint8Array, nowMs: number): Promise<string | null> {
  await removeDraftsOf(keyFile);
  const text = Buffer.from(key).toString('base64');
  if ((await readFile(keyFile, 'utf8')).trim() === text) return null;
  const earlier = `${keyFile}.until-${new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')}`;
  await link(keyFile, earlier);
  await writeDurably(keyFile, `${text}\n`);
  return earlier;
}
