import { statSync } from 'node:fs';
import { findDamage } from './check-database.ts';
import { copyDatabase } from './copy-database.ts';
import { syncPath } from './sync-path.ts';

/**
 * The process that copies a database and checks the copy. It can be killed at any time, and its memory is not that of the
 * daemon. Prints a JSON value per line: the progress, then the result of the check.
 */
const [source, target] = process.argv.slice(2) as [string, string];
const print = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`);

await copyDatabase(source, target, (doneBytes, totalBytes) => print({ doneBytes, totalBytes }));
syncPath(target);
print({ checking: statSync(target).size });
print({ finding: findDamage(target) });
