import type { Decision, NewRun } from '../core/delivery.ts';
import type { IdSource } from '../core/ids.ts';
import type { LiveWebhook } from '../registry/live-webhook.ts';

/** What a delivery starts, and for each automation that listens why it does or does not. */
export interface Match {
  decisions: Decision[];
  runs: NewRun[];
}

const NOTHING: Match = { decisions: [], runs: [] };

/** Puts a payload before every automation that listens to its webhook; each starts at most one run. */
export function matchDelivery(webhook: LiveWebhook, payload: unknown, ids: IdSource, nowMs: number): Match {
  if (webhook.listeners.length === 0) return NOTHING;
  const match: Match = { decisions: [], runs: [] };
  for (const { automation, version, decide } of webhook.listeners) {
    const verdict = decide(payload);
    if (verdict.fires) {
      const id = ids.runId(nowMs);
      match.runs.push({ id, automation, version });
      match.decisions.push({
        automation,
        outcome: 'started',
        run: id,
        path: null,
        expected: null,
        actual: null,
        message: 'every key of the filter matched, or there is none',
      });
    } else {
      const { outcome, path, expected, actual, message } = verdict;
      match.decisions.push({ automation, outcome, run: null, path, expected, actual, message });
    }
  }
  return match;
}
