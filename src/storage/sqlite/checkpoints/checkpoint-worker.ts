import { parentPort, workerData } from 'node:worker_threads';
import { copyError, type Reply } from '../../../platform/threads/pending-calls.ts';
import { releaseMemory } from '../../../platform/threads/release-memory.ts';
import type { RequestMessage } from '../../../platform/threads/worker-calls.ts';
import { isDiskFull, toStorageError, unmaskFullDisk } from '../disk/storage-error.ts';
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
  const problem = tryCheckpoint();
  // The storage thread may have freed space after the failure and before the probe. Then another attempt succeeds.
  const left = problem === null || isDiskFull(problem) ? problem : tryCheckpoint();
  return left === null ? { id, value: null } : { id, error: copyError(toStorageError(left)) };
}

/** Returns the error; `null` if the checkpoint succeeded. */
function tryCheckpoint(): unknown {
  try {
    db.pragma('wal_checkpoint(PASSIVE)');
    return null;
  } catch (error) {
    return unmaskFullDisk(error, db.name);
  }
}
