import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { writeDurably } from './write-durably.ts';

/** The ID in the file: 8 hexadecimal digits. Without one, a new ID is written to the file. */
export async function readOrCreateId(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  if (/^[0-9a-f]{8}$/.test(text.trim())) return text.trim();
  const id = randomBytes(4).toString('hex');
  await writeDurably(file, `${id}\n`);
  return id;
}
