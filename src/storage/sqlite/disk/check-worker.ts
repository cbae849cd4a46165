import { findDamage } from './check-database.ts';

/**
 * A process of its own, which can be ended in the middle of a check and whose reads do not count as the daemon's memory.
 * Prints the first finding as JSON, or `null`.
 */
process.stdout.write(JSON.stringify({ finding: findDamage(process.argv[2]!) }));
