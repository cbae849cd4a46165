import { readFileSync } from 'node:fs';
import type { Logger } from '../domain/ports/logger.ts';

/** For git, runs, the database, the log and the admin listener. */
const RESERVED_FILES = 200;
const RECOMMENDED_FILES = 4_096;
const MAX_CONNECTIONS = 10_000;

/** The open file limit of this process, including connections; `null` if the system does not report it. */
export function readOpenFileLimit(): number | null {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const soft = /^Max open files +(\d+)/m.exec(limits)?.[1];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}

/**
 * Maximum number of connections, so that enough file descriptors are left: unauthenticated clients must not prevent the
 * start of git or a run. If the limit is too low for the reserve, a quarter of it.
 */
export function computeMaxConnections(openFileLimit: number | null): number {
  if (openFileLimit === null) return MAX_CONNECTIONS;
  const most = Math.max(openFileLimit - RESERVED_FILES, Math.floor(openFileLimit / 4), 1);
  return Math.min(most, MAX_CONNECTIONS);
}

export function warnOfLowFileLimit(openFileLimit: number | null, logger: Logger): void {
  if (openFileLimit === null || openFileLimit >= RECOMMENDED_FILES) return;
  const hint = `raise it to ${RECOMMENDED_FILES} or more: LimitNOFILE in the systemd unit, ulimit -n in a shell`;
  logger.warn({ openFileLimit, maxConnections: computeMaxConnections(openFileLimit), hint }, 'open file limit is low');
}
