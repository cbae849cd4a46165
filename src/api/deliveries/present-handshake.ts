import type { Handshake } from '../../core/handshake.ts';
import { formatInstant } from '../../core/time/clock.ts';

/** A row of the log of handshakes as the API shows it. It has a kind instead of a label. */
export function presentHandshake(handshake: Handshake) {
  return {
    kind: 'Handshake' as const,
    webhook_uid: handshake.webhookUid,
    handshake: handshake.handshake,
    outcome: handshake.outcome,
    detail: handshake.detail,
    count: handshake.count,
    received_at: formatInstant(handshake.receivedAt),
    client_address: handshake.clientAddress,
  };
}
