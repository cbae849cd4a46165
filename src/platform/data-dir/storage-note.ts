import { readFile, rm } from 'node:fs/promises';
import { writeDurably } from '../files/write-durably.ts';

const POSTGRES = 'postgres\n';

/**
 * Notes in the data directory that its daemon stores in PostgreSQL. Commands for a stopped daemon then do not work on a SQLite
 * file that the daemon no longer uses. No note stands for SQLite.
 */
export async function noteStorage(file: string, type: 'sqlite' | 'postgres'): Promise<void> {
  if (type === 'sqlite') await rm(file, { force: true });
  else if (!(await usesPostgres(file))) await writeDurably(file, POSTGRES);
}

/** Did the last daemon of the data directory store in PostgreSQL? */
export async function usesPostgres(file: string): Promise<boolean> {
  return (await readFile(file, 'utf8').catch(() => '')) === POSTGRES;
}
