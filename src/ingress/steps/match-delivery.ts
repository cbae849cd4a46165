import type { Received } from '../../domain/definitions/trigger.ts';
import type { IdSource, RunId } from '../../domain/ids.ts';
import type { NewRun } from '../../domain/resources/delivery.ts';
import { composeRunKey } from '../../domain/runs/run-key.ts';
import type { LiveWebhook } from '../registry/live-webhook.ts';

/** An automation that a delivery starts. */
type Listener = ReturnType<LiveWebhook['listeners']['match']>[number];

/** The runs that a delivery starts, and the apply whose listeners were evaluated. */
export interface Match {
  applyNumber: number;
  revision: string | null;
  runs: NewRun[];
}

/**
 * Evaluates a delivery with every automation that listens to its webhook. Each starts at most one run. Offer the result
 * to the recorder without waiting: the order of stored deliveries is the order of their applies.
 *
 * @param received with what the listeners need
 * @param only the only automation to evaluate; `null` for all
 */
export function matchDelivery(
  { listeners }: Pick<LiveWebhook, 'listeners'>,
  received: Received,
  ids: Pick<IdSource, 'runId'>,
  nowMs: number,
  only: string | null = null,
): Match {
  const fired = listeners.match(received);
  const started = only === null ? fired : fired.filter(({ automation }) => automation === only);
  return {
    applyNumber: listeners.apply.number,
    revision: listeners.apply.revision,
    runs: started.map((listener) => composeRun(listener, received, ids.runId(nowMs))),
  };
}

/** The run of an automation that a delivery starts. */
export function composeRun(
  { automation, version, keyPaths, runsOn }: Listener,
  { payload }: Received,
  id: RunId,
): NewRun {
  const run = { id, automation, version, runsOn };
  return keyPaths === undefined ? run : { ...run, concurrencyKey: composeRunKey(keyPaths, payload) };
}
