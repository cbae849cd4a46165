import type { WebhookUid } from '../core/ids.ts';
import type { Decision } from '../core/resources/delivery.ts';
import type { AuthMode } from '../core/resources/webhook.ts';
import type { LiveHandshake } from '../signature/handshakes/handshake.ts';
import type { Verify } from '../signature/verification.ts';

/** How one webhook checks a sender, its secret already inside. */
export type Credential =
  | { mode: 'token' | 'url_token'; accepts(presented: string): boolean }
  | { mode: 'signature'; verify: Verify }
  /** The pinned secret cannot be read: senders get `503`, since the fault is ours (threat model S4). */
  | { mode: AuthMode; unreadable: true };

/** What one automation makes of a payload. */
export type ListenerResult =
  | { fires: true; message: string }
  | ({ fires: false } & Omit<Decision, 'automation' | 'run'>);

/** An automation that listens to a webhook, its filters compiled. */
export interface Listener {
  automation: string;
  /** `AppliedAutomation.version`. */
  version: number;
  decide(payload: unknown): ListenerResult;
}

/** All that the hot path needs of one webhook. */
export interface LiveWebhook {
  ref: number;
  uid: WebhookUid;
  name: string;
  factory: string;
  /** The commit that is live in its factory. */
  revision: string | null;
  credential: Credential;
  /** Does a header value (one character for each byte) hold the secret, as it is or in base64? */
  holdsSecret(value: string): boolean;
  /** Those of its provider that it answers; empty for most. */
  handshakes: readonly LiveHandshake[];
  /** Header, in lowercase, with the sender's ID of the delivery; `null` if the webhook names none. */
  identityHeader: string | null;
  listeners: readonly Listener[];
  /** The branch whose pushes this webhook reports; `null` if no source uses the webhook. */
  pushBranch: string | null;
}
