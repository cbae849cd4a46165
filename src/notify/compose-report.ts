import { createHash } from 'node:crypto';
import type { CommitReport, CommitState } from '../core/notice.ts';
import type { Reconciliation } from '../core/reconciliation.ts';

/** A receiver of webhooks may take no more than a few hundred kilobytes. */
const MAX_DIAGNOSTICS = 100;

/**
 * What a pass says of its commit; `null` where it says nothing yet. A failure from outside counts from its second time
 * on: it is tried again after a few seconds, and most are over by then.
 */
export function judgeCommit({ revision, result, attemptedAt, finishedAt }: Reconciliation): CommitState | null {
  if (revision === null) return null;
  if (result === 'applied' || result === 'unchanged') return 'success';
  if (result === 'invalid') return 'failure';
  return attemptedAt > finishedAt ? 'error' : null;
}

export function composeReport(
  { id, result, reason, message, diagnostics, finishedAt }: Reconciliation,
  state: CommitState,
  liveRevision: string | null,
): CommitReport {
  const diagnosticCount = diagnostics.length;
  const kept = diagnostics.slice(0, MAX_DIAGNOSTICS);
  return {
    ...{ reconciliation: id, result, state, reason, message, liveRevision, finishedAt },
    ...{ diagnostics: kept, diagnosticCount },
  };
}

/** Equal for what a reader would call the same outcome: a commit that is applied and one that was live already, say. */
export function digestOutcome(state: CommitState, message: string): string {
  return createHash('sha256')
    .update(JSON.stringify([state, message]))
    .digest('hex');
}
