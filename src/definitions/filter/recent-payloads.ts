import type { WebhookUid } from '../../domain/ids.ts';
import type { StoredPayloads } from '../../domain/ports/delivery-log.ts';

const MAX_PAYLOADS = 50;
const BYTES_A_PIECE = 262_144;

/** Calls `look` with each of the 50 most recent stored payloads of a webhook. Returns their number. */
export async function readRecentPayloads(
  payloads: StoredPayloads,
  webhook: WebhookUid,
  look: (payload: unknown) => void,
): Promise<number> {
  const recent = await payloads.keys({ webhook, since: 0, before: null, limit: MAX_PAYLOADS });
  let examined = 0;
  for (let at = 0; at < recent.length; ) {
    const piece = await payloads.read(recent.slice(at), BYTES_A_PIECE);
    at += piece.taken;
    examined += piece.payloads.length;
    for (const { body } of piece.payloads) look(JSON.parse(Buffer.from(body).toString('utf8')));
  }
  return examined;
}
