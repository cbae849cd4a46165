import { parentPort, workerData } from 'node:worker_threads';
import { copyError, type Reply } from '../../../threads/pending-calls.ts';
import { releaseMemory } from '../../../threads/release-memory.ts';
import type { RequestMessage } from '../../../threads/worker-calls.ts';
import { toStorageError } from '../disk/storage-error.ts';
import { openForCheckpoints } from './open-for-checkpoints.ts';

/**
 * The thread that copies pages from the write-ahead log to the database file, whose path is the data of the thread. A
 * passive checkpoint does not wait for the writer, and the writer does not wait for it. The message `null` ends the thread.
 */
const port = parentPort!;
const db = openForCheckpoints(workerData as string);
releaseMemory();

port.on('message', (message: RequestMessage<'copy'> | null) => {
  if (message !== null) return port.postMessage(copyPages(message.id));
  db.close();
  port.close();
});

function copyPages(id: number): Reply {
  try {
    db.pragma('wal_checkpoint(PASSIVE)');
    return { id, value: null };
  } catch (error) {
    return { id, error: copyError(toStorageError(error)) };
  }
}
