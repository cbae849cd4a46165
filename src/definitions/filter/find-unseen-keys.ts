import type { DeliveryFilter } from '../../domain/definitions/trigger.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import type { StoredPayloads } from '../../domain/ports/delivery-log.ts';
import { type FilterPath, KeySightings, listUnseenKeys } from './key-sightings.ts';
import { readRecentPayloads } from './recent-payloads.ts';

/** The filters of an automation, for each webhook that it listens to. */
export type FiltersByWebhook = readonly (readonly [webhook: WebhookUid, filters: readonly DeliveryFilter[]])[];

/** The keys of filters that no recent payload of their webhooks had, and the number of payloads examined. */
export async function findUnseenKeys(
  payloads: StoredPayloads,
  filters: FiltersByWebhook,
): Promise<{ examined: number; paths: FilterPath[] }> {
  const sightings: KeySightings[] = [];
  for (const [webhook, patterns] of filters) {
    const one = new KeySightings(patterns);
    await readRecentPayloads(payloads, webhook, (payload) => one.look(payload));
    sightings.push(one);
  }
  return listUnseenKeys(sightings);
}
