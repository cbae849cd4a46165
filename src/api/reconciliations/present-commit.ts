import type { Commit } from '../../domain/applies/reconciliation.ts';
import { formatInstant } from '../../domain/time/clock.ts';

/** Who made a revision; `null` if it is not known. */
export function presentCommit(commit: Commit | null) {
  if (commit === null) return null;
  const { subject, author, committedAt, url } = commit;
  return { subject, author, committed_at: formatInstant(committedAt), url };
}
