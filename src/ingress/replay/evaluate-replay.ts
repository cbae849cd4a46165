import type { IdSource } from '../../domain/ids.ts';
import { WantedKeys } from '../../domain/payload/wanted-keys.ts';
import type { StartedThen, StoredDelivery } from '../../domain/ports/replays.ts';
import { parseRecordedHeaders } from '../../domain/resources/delivery.ts';
import type { Replay } from '../../domain/resources/replay.ts';
import { findKeyPaths } from '../../domain/runs/run-policy.ts';
import type { ReplaySkip } from '../../domain/words/deliveries.ts';
import type { DeliverySource, Registry } from '../registry/registry.ts';
import { composeRun, type Match, matchDelivery } from '../steps/match-delivery.ts';
import { readStored } from './compose-replay.ts';

/** What decides which runs a replay starts. */
type ReplayTerms = Pick<Replay, 'delivery' | 'asOf' | 'automation'>;

type ReplayEvaluation = { skip: ReplaySkip } | { skip: null; webhook: DeliverySource; match: Match };

interface EvaluationParts {
  registry: Pick<Registry, 'findSource'>;
  ids: Pick<IdSource, 'runId'>;
  nowMs: number;
}

/** As `evaluate`. One stored payload that cannot be evaluated must not end the replay of all others (threat model D11). */
export function evaluateReplay(parts: EvaluationParts, terms: ReplayTerms, stored: StoredDelivery): ReplayEvaluation {
  try {
    return evaluate(parts, terms, stored);
  } catch {
    return { skip: 'unreadable' };
  }
}

/** What a stored delivery starts: by the live definition, or by the one that was live when it was received. */
function evaluate(
  { registry, ids, nowMs }: EvaluationParts,
  { delivery, asOf, automation }: ReplayTerms,
  stored: StoredDelivery,
): ReplayEvaluation {
  const webhook = registry.findSource(stored.webhook.uid);
  // Filters find replays too. Each original is replayed once.
  if (delivery === null && stored.replayOf !== null) return { skip: 'is_replay' };
  if (webhook === undefined) return { skip: 'webhook_unavailable' };
  if (asOf === 'now') {
    const payload = readStored(stored.body, webhook.listeners.wanted);
    const received = { headers: parseRecordedHeaders(stored.headers), payload };
    return { skip: null, webhook, match: matchDelivery(webhook, received, ids, nowMs, automation) };
  }
  const { applyNumber, revision, started } = stored.atReceipt;
  if (started === null) return { skip: 'definition_unknown' };
  const runs = started
    .filter((one) => automation === null || one.automation === automation)
    .map((one) => startAgain(one, stored.body, ids.runId(nowMs)));
  return { skip: null, webhook, match: { applyNumber, revision, runs } };
}

/** The filters of that time matched, so the same automations start, with the prompt and the policy of that time. */
function startAgain(
  { automation, version, concurrency, debounce, runsOn }: StartedThen,
  body: Uint8Array,
  id: Match['runs'][number]['id'],
) {
  const keyPaths = findKeyPaths({ concurrency, debounce });
  const payload = keyPaths === undefined ? undefined : readStored(body, WantedKeys.of(keyPaths));
  return composeRun({ automation, version, keyPaths, runsOn: runsOn ?? undefined }, { headers: {}, payload }, id);
}
