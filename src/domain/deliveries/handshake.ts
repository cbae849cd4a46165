import type { WebhookUid } from '../ids.ts';

/**
 * Outcomes of a handshake. `answered`: the challenge was returned. `adopted`: the supplied secret is now the webhook's
 * secret. `confirmed`, `failed`: the confirmation URL was fetched, or could not be fetched. `refused`: the request was
 * a valid handshake request, but must not be answered.
 */
export const HANDSHAKE_OUTCOMES = ['answered', 'adopted', 'confirmed', 'failed', 'refused'] as const;
export type HandshakeOutcome = (typeof HANDSHAKE_OUTCOMES)[number];

/** A handshake of a webhook for the handshake log. Contains neither a challenge nor a secret. */
export interface HandshakeEntry {
  /** `AppliedWebhook.ref`. */
  webhook: number;
  /** Name of a row in the table of handshakes. */
  handshake: string;
  outcome: HandshakeOutcome;
  /** One sentence for users; `null` if the outcome needs none. */
  detail: string | null;
  /** Number of requests that this row represents: more than 1 if the row summarizes a flood. */
  count: number;
  /** Wall time in milliseconds. */
  receivedAt: number;
  clientAddress: string;
}

/** A row of the handshake log as it is read. */
export interface Handshake extends Omit<HandshakeEntry, 'webhook'> {
  webhookUid: WebhookUid;
}
