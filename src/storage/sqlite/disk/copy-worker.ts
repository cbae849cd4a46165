import { statSync } from 'node:fs';
import { findDamage } from './check-database.ts';
import { copyDatabase } from './copy-database.ts';
import { syncPath } from './sync-path.ts';

/**
 * The process that copies a database and checks the copy. It can be killed at any time, and its memory is not that of the
 * daemon. Prints a JSON value per line: the progress, then the result of the check.
 */
const [source, target] = process.argv.slice(2) as [string, string];
/** Synced piece by piece: one sync of the whole copy would delay each delivery, which is synced to the same disk. */
const SYNC_BYTES = 16 * 1024 * 1024;
const print = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`);

let syncedBytes = 0;
await copyDatabase(source, target, (doneBytes, totalBytes) => {
  print({ doneBytes, totalBytes });
  if (doneBytes - syncedBytes < SYNC_BYTES) return;
  syncPath(target);
  syncedBytes = doneBytes;
});
syncPath(target);
print({ checking: statSync(target).size });
print({ finding: findDamage(target) });
