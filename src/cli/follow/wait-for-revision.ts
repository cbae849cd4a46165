import type { Factory, Reconciliation } from '../../client/api-types.ts';
import type { ApiClient } from '../../client/create-api-client.ts';
import { findAnswer, readAnswer } from '../../client/read-answer.ts';
import type { CliContext } from '../context.ts';
import { isFailure, shortenRevision } from '../output/describe-reconciliation.ts';
import { startProgress } from '../output/progress.ts';

/** How a wait for a revision ended. */
export type WaitOutcome =
  | { outcome: 'live' }
  /** The live commit contains it. */
  | { outcome: 'contained'; by: string }
  /** It was applied during the wait, and a later commit has replaced it. */
  | { outcome: 'replaced'; by: string | null }
  | { outcome: 'failed'; reconciliation: Reconciliation }
  | { outcome: 'timeout'; last: Reconciliation | null };

interface WaitRequest {
  factory: string;
  /** Full or abbreviated, lowercase. */
  revision: string;
  timeoutMs: number;
}

const POLL_MS = 500;
// The daemon retries some failures, such as a missing secret. A failure that is older than the wait may be over soon:
// after creating the secret, the earlier attempt must not be reported.
const STALE_FAILURE_GRACE_MS = 5000;

/** Polls until the revision is live or has failed. A prefix stands for the most recent attempted revision with it. */
export async function waitForRevision(api: ApiClient, context: CliContext, request: WaitRequest): Promise<WaitOutcome> {
  const startedAtMs = context.clock.wallMs();
  const deadlineMs = context.clock.monotonicMs() + request.timeoutMs;
  const progress = startProgress(context, `Waiting for ${shortenRevision(request.revision)}…`);
  let asked: string | null = null;
  try {
    for (;;) {
      const seen = await readState(api, request.factory);
      const applied = startsWith(seen.factory.applied_revision, request.revision)
        ? null
        : seen.factory.applied_revision;
      // Once for each live commit, because the daemon may have to read the repository.
      if (applied !== null && applied !== asked && (await isContained(api, request))) {
        return { outcome: 'contained', by: applied };
      }
      asked = applied;
      const outcome = findOutcome(seen, request.revision, startedAtMs, context.clock.wallMs());
      if (outcome !== null) return outcome;
      const leftMs = deadlineMs - context.clock.monotonicMs();
      if (leftMs <= 0) return { outcome: 'timeout', last: seen.history[0] ?? null };
      progress.update(describeWait(seen.factory, request.revision));
      await context.sleep(Math.min(POLL_MS, leftMs));
    }
  } finally {
    progress.stop();
  }
}

async function isContained(api: ApiClient, { factory, revision }: WaitRequest): Promise<boolean> {
  const ancestry = await findAnswer(
    api.GET('/api/v1/factories/{factory}/ancestry/{revision}', { params: { path: { factory, revision } } }),
  );
  return ancestry?.contained === true && !startsWith(ancestry.applied_revision, revision);
}

interface SeenState {
  factory: Factory;
  /** The most recent attempts, the most recent first. */
  history: Reconciliation[];
}

async function readState(api: ApiClient, factory: string): Promise<SeenState> {
  // The history is read first: an apply between the two reads is then reported as live.
  const { data } = await readAnswer(
    api.GET('/api/v1/factories/{factory}/reconciliations', { params: { path: { factory }, query: { limit: 20 } } }),
  );
  return {
    factory: await readAnswer(api.GET('/api/v1/factories/{factory}', { params: { path: { factory } } })),
    history: data,
  };
}

function findOutcome(seen: SeenState, revision: string, startedAtMs: number, nowMs: number): WaitOutcome | null {
  if (startsWith(seen.factory.applied_revision, revision)) {
    return seen.factory.health.replicas_behind === 0 ? { outcome: 'live' } : null;
  }
  const attempt = seen.history.find((reconciliation) => startsWith(reconciliation.revision, revision));
  if (attempt === undefined) return null;
  if (!isFailure(attempt)) {
    const appliedDuringWait = Date.parse(attempt.attempted_at) >= startedAtMs;
    return appliedDuringWait ? { outcome: 'replaced', by: seen.factory.applied_revision } : null;
  }
  // An invalid commit stays invalid, but an unsuitable secret may have been replaced.
  const isFinal =
    (attempt.result === 'invalid' && !attempt.reason.startsWith('Secret')) ||
    Date.parse(attempt.attempted_at) >= startedAtMs;
  return isFinal || nowMs - startedAtMs >= STALE_FAILURE_GRACE_MS
    ? { outcome: 'failed', reconciliation: attempt }
    : null;
}

function startsWith(revision: string | null, prefix: string): boolean {
  return revision?.toLowerCase().startsWith(prefix) ?? false;
}

function describeWait(factory: Factory, revision: string): string {
  return `Waiting for ${shortenRevision(revision)}: applied ${shortenRevision(factory.applied_revision)}, attempted ${shortenRevision(factory.attempted_revision)}…`;
}
