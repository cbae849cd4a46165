import { watchRuns } from '../executors/watchdog/watch-runs.ts';
import { createLogger } from '../observability/logger.ts';

/** The process that ends the processes of runs if the daemon cannot. It writes to the same log. */
watchRuns(createLogger({ level: () => 'warn', format: 'json', destination: process.stderr, redact: (text) => text }));
