import type { WebhookUid } from '../core/ids.ts';
import type { StoredPayloads } from '../core/ports/deliveries/stored-payloads.ts';
import { type CollectedKey, KeyCollection } from './collect-keys.ts';

const MAX_PAYLOADS = 50;
const BYTES_A_PIECE = 262_144;

/** The keys of the 50 most recent stored payloads of a webhook. */
export async function collectPayloadKeys(
  payloads: StoredPayloads,
  webhook: WebhookUid,
): Promise<{ examined: number; keys: CollectedKey[] }> {
  const recent = await payloads.keys({ webhook, since: 0, before: null, limit: MAX_PAYLOADS });
  const collection = new KeyCollection();
  let examined = 0;
  for (let at = 0; at < recent.length; ) {
    const piece = await payloads.read(recent.slice(at), BYTES_A_PIECE);
    at += piece.taken;
    examined += piece.payloads.length;
    for (const { body } of piece.payloads) collection.add(JSON.parse(Buffer.from(body).toString('utf8')));
  }
  return { examined, keys: collection.list() };
}
