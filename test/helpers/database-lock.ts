import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Takes the write lock of the database, prints a word, and keeps it until its standard input ends. */
const HOLDER = `
const db = new (require('better-sqlite3'))(process.argv[1]);
db.exec('BEGIN IMMEDIATE');
process.stdout.write('locked');
process.stdin.resume().on('end', () => { db.exec('ROLLBACK'); db.close(); });
`;

/** Another process that holds the write lock of a database. */
export interface ForeignLock {
  /** Resolves when the lock is free. */
  release(): Promise<void>;
}

/** Locks a database from another process, as an open transaction in `sqlite3` does. */
export async function lockDatabase(file: string): Promise<ForeignLock> {
  const holder: ChildProcess = spawn(process.execPath, ['-e', HOLDER, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(holder, 'exit');
  await once(holder.stdout!, 'data');
  return {
    release: async () => {
      holder.stdin!.end();
      await ended;
    },
  };
}
