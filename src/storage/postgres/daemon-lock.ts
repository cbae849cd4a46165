import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { AppError, messageOf } from '../../domain/errors.ts';
import { COMMAND_SESSION, hasDaemon, LEADER_LOCK } from './replicas/leadership.ts';
import { toStorageError } from './storage-error.ts';

/** How often a lost lock is taken again. */
const RETRY_MS = 1000;

interface DaemonLock {
  release(): Promise<void>;
}

/**
 * Takes the lock of the leader on a separate connection, for a command that works while no daemon runs. A lost connection, for
 * example at a restart of PostgreSQL, is replaced.
 *
 * @param onTaken a daemon took the lock meanwhile, so the command has to stop
 * @throws `storage_unavailable` if a daemon holds it, or PostgreSQL cannot be reached
 */
export async function holdDaemonLock(url: string, onTaken: (error: AppError) => void): Promise<DaemonLock> {
  let isReleased = false;
  let client = await take();
  async function take(): Promise<Client> {
    const taken = await takeLock(url);
    taken.once('end', () => void replace());
    return taken;
  }
  async function replace(): Promise<void> {
    while (!isReleased) {
      try {
        client = await take();
        return;
      } catch (error) {
        if (error instanceof DatabaseInUse) return onTaken(error);
        await pause(RETRY_MS);
      }
    }
  }
  return {
    release: async () => {
      isReleased = true;
      await client.end().catch(() => undefined);
    },
  };
}

class DatabaseInUse extends AppError {
  constructor() {
    super('data_dir_locked', 'a daemon uses this database: stop all daemons that share it first');
  }
}

async function takeLock(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: COMMAND_SESSION, keepAlive: true });
  // The end of the connection follows.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [LEADER_LOCK]);
    if (rows[0]?.taken !== true || (await hasDaemon(client))) throw new DatabaseInUse();
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    if (error instanceof AppError) throw error;
    const translated = toStorageError(error);
    if (translated instanceof AppError) throw translated;
    throw new AppError('storage_unavailable', `PostgreSQL: ${messageOf(error)}`, { cause: error });
  }
}
