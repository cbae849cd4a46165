import { type Condition, type FactoryView, rateCondition } from '../../domain/applies/reconciliation.ts';
import type { InventoryReader } from '../../domain/ports/inventory.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { describeStatusReason } from '../../domain/words/status-reasons.ts';
import { presentCommit } from '../reconciliations/present-commit.ts';
import { presentInstant } from '../server/instants.ts';
import type { FactorySource } from './factory-source.ts';
import type { findPause } from './present-pause.ts';
import type { FactoryHealth } from './read-factory-health.ts';

type Counts = Awaited<ReturnType<InventoryReader['counts']>>;

/** A factory as the interfaces show it: where its definition comes from, what it serves and what was last tried. */
export function presentFactory(
  status: FactoryView,
  source: FactorySource | null,
  counts: Counts,
  health: FactoryHealth,
  pause: ReturnType<typeof findPause>,
) {
  return {
    name: status.name,
    source: source === null ? null : presentSource(source),
    configured: source !== null,
    applied_revision: status.appliedRevision,
    applied_commit: presentCommit(status.appliedCommit),
    applied_at: presentInstant(status.appliedAt),
    attempted_revision: status.attemptedRevision,
    attempted_at: presentInstant(status.attemptedAt),
    conditions: status.conditions.map(presentCondition),
    counts: {
      webhooks: counts.webhooks,
      automations: counts.automations,
      queued_runs: counts.queuedRuns,
      running_runs: counts.runningRuns,
    },
    health,
    pause,
  };
}

function presentSource({ type, url, branch, path, pullRequests }: FactorySource) {
  return { type, url: url === null ? null : hideCredentials(url), branch, path, pull_requests: pullRequests };
}

/** `https://user:token@host/x` is shown as `https://host/x`; local paths and `git@host:x` hold no secret and stay. */
function hideCredentials(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1');
}

function presentCondition(condition: Condition) {
  const { type, status, reason, message, since } = condition;
  return {
    type,
    status,
    severity: rateCondition(condition),
    reason,
    reason_text: describeStatusReason(reason),
    message,
    since: formatInstant(since),
  };
}
