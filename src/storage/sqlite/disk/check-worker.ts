import { findDamage } from './check-database.ts';

/**
 * The process of the background check. It can be killed at any time, and its reads do not count as memory of the
 * daemon. Prints the first finding as JSON, or `null`.
 */
process.stdout.write(JSON.stringify({ finding: findDamage(process.argv[2]!) }));
