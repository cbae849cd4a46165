import type { IdSource } from '../../core/ids.ts';
import {
  type Decision,
  MAX_DECISIONS_WITHOUT_RUN,
  type NewRun,
  type StoredDecisions,
} from '../../core/resources/delivery.ts';
import type { LiveWebhook } from '../../registry/live-webhook.ts';

/** The runs that a delivery starts, and the decision for each listening automation. */
export interface Match extends StoredDecisions {
  runs: NewRun[];
}

const NOTHING: Match = { decisions: [], omitted: null, runs: [] };

/**
 * Evaluates a payload with every automation that has a trigger for its webhook. Each starts at most one run. Every decision
 * that starts one is kept. The number of others is limited, because a small delivery to thousands of automations would
 * store thousands of them: filter errors are kept first, and omitted decisions are counted.
 */
export function matchDelivery(webhook: LiveWebhook, payload: unknown, ids: IdSource, nowMs: number): Match {
  if (webhook.listeners.length === 0) return NOTHING;
  const decisions: Decision[] = [];
  const runs: NewRun[] = [];
  for (const { automation, version, decide } of webhook.listeners) {
    const result = decide(payload);
    if (result.fires) {
      const id = ids.runId(nowMs);
      runs.push({ id, automation, version });
      decisions.push({
        automation,
        outcome: 'started',
        run: id,
        path: null,
        expected: null,
        actual: null,
        message: result.message,
      });
    } else {
      const { outcome, path, expected, actual, message } = result;
      decisions.push({ automation, outcome, run: null, path, expected, actual, message });
    }
  }
  return { ...limitDecisions(decisions, decisions.length - runs.length), runs };
}

function limitDecisions(decisions: Decision[], withoutRun: number): StoredDecisions {
  if (withoutRun <= MAX_DECISIONS_WITHOUT_RUN) return { decisions, omitted: null };
  const omitted = { filtered: 0, disabled: 0, filter_error: 0 };
  let room = MAX_DECISIONS_WITHOUT_RUN;
  const errors = new Set(decisions.filter(({ outcome }) => outcome === 'filter_error').slice(0, room));
  room -= errors.size;
  const kept = decisions.filter((decision) => {
    const { outcome } = decision;
    if (outcome === 'started' || errors.has(decision)) return true;
    if (outcome !== 'filter_error' && room-- > 0) return true;
    omitted[outcome]++;
    return false;
  });
  return { decisions: kept, omitted };
}
