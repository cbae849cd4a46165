import { createHash } from 'node:crypto';
import type { ReconciliationEnd } from '../../domain/applies/reconciliation.ts';
import type { CommitReport, CommitState, RequestState } from '../../domain/messages/notice.ts';

/** A receiver of webhooks may accept only a few hundred kilobytes. */
const MAX_DIAGNOSTICS = 100;

/**
 * The commit status of a reconciliation; `null` if it is not reported yet. An external failure is reported only if it occurs
 * twice: the reconciliation is retried after a few seconds, which is sufficient for most failures.
 */
export function stateOfCommit({ revision, result, attemptedAt, finishedAt }: ReconciliationEnd): CommitState | null {
  if (revision === null) return null;
  if (result === 'applied' || result === 'unchanged') return 'success';
  if (result === 'invalid') return 'failure';
  return attemptedAt > finishedAt ? 'error' : null;
}

export function composeReport(
  { id, result, reason, message, diagnostics, finishedAt }: ReconciliationEnd,
  state: CommitState,
  liveRevision: string | null,
): CommitReport {
  const diagnosticCount = diagnostics.length;
  const kept = diagnostics.slice(0, MAX_DIAGNOSTICS);
  return {
    reconciliation: id,
    result,
    state,
    reason,
    message,
    liveRevision,
    finishedAt,
    diagnostics: kept,
    diagnosticCount,
  };
}

/** Equal for outcomes that are the same for a reader, for example a commit that was applied and one that was already live. */
export function digestOutcome(state: RequestState, message: string): string {
  return createHash('sha256')
    .update(JSON.stringify([state, message]))
    .digest('hex');
}
