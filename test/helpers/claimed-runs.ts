import type { Storage } from '../../src/domain/ports/storage.ts';
import type { Run } from '../../src/domain/resources/run.ts';
import { applyFactory, buildAutomation, buildWebhook, FACTORY } from './build-apply.ts';
import { buildOffer, START_MS } from './build-offer.ts';

/** Runs of a storage, as a daemon gets them to execute. */
export interface ClaimedRuns {
  /** A new run. */
  claim(): Promise<Run>;
  /** The next attempt of a run. */
  retry(run: Run): Promise<Run>;
}

/** Applies a factory with one automation to an empty storage. */
export async function openClaimedRuns(storage: Storage): Promise<ClaimedRuns> {
  const automation = 'fix';
  const applied = await applyFactory(storage, {
    webhooks: [buildWebhook()],
    automations: [buildAutomation({ name: automation })],
  });
  const [{ ref: webhook }, { version }] = [applied.webhooks[0]!, applied.automations[0]!];
  let bodies = 0;
  const claim = async () => {
    const request = { factory: FACTORY, executor: 'command', limit: 1, at: START_MS };
    return (await storage.runQueue.claim(request)).inputs[0]!.run;
  };
  return {
    claim: async () => {
      bodies += 1;
      const offer = buildOffer({ webhook, body: `${bodies}`, runs: [{ automation, version }] });
      await storage.deliveryLog.record([offer]);
      return claim();
    },
    retry: async ({ id, attempt }) => {
      await storage.runQueue.retryFailed({ id, attempt, error: 'lost', at: START_MS });
      return claim();
    },
  };
}
