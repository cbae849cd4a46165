import type { WebhookUid } from './ids.ts';

/**
 * What became of a handshake. `answered`: the challenge was returned. `adopted`: the secret that it brought is the
 * webhook's from now on. `confirmed`, `failed`: what it asked to be fetched was fetched, or could not be. `refused`: it
 * had the right shape and may not be answered.
 */
export const HANDSHAKE_OUTCOMES = ['answered', 'adopted', 'confirmed', 'failed', 'refused'] as const;
export type HandshakeOutcome = (typeof HANDSHAKE_OUTCOMES)[number];

/** A handshake that came to a webhook, for the log beside that of deliveries. Never a challenge, never a secret. */
export interface HandshakeEntry {
  /** `AppliedWebhook.ref`. */
  webhook: number;
  /** Name of a row of the table of handshakes. */
  handshake: string;
  outcome: HandshakeOutcome;
  /** One sentence for a person; `null` where the outcome says it all. */
  detail: string | null;
  /** How many requests this row stands for: 1, or more where a flood is summed up. */
  count: number;
  /** Wall time in milliseconds. */
  receivedAt: number;
  clientAddress: string;
}

/** A row of the log of handshakes as it is read back. */
export interface Handshake extends Omit<HandshakeEntry, 'webhook'> {
  webhookUid: WebhookUid;
}
