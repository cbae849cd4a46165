import { createLogger } from '../../../platform/logger.ts';
import { watchRuns } from './watch-runs.ts';

/** The process that ends the processes of runs if the daemon cannot. It writes to the same log. */
watchRuns(createLogger({ level: () => 'warn', format: 'json', destination: process.stderr, redact: (text) => text }));
