import type { ListenerIndex } from '../../definitions/filter/listeners/listener-index.ts';
import type { SubjectReader } from '../../definitions/filter/read-subject.ts';
import type { LiveHandshake } from '../../definitions/signature/handshakes/handshake.ts';
import type { SuccessAnswer } from '../../definitions/signature/scheme.ts';
import type { SignedRequest, Verify } from '../../definitions/signature/verification.ts';
import type { ReadClaimedIdentity } from '../../definitions/signature/verify/claimed-identity.ts';
import type { EventPlace } from '../../domain/deliveries/event-name.ts';
import type { SummaryPart } from '../../domain/deliveries/event-summary.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import type { AuthMode } from '../../domain/resources/webhook.ts';
import type { SecretValue } from '../../domain/secrets/secret-value.ts';

/** How a webhook authenticates its senders. The functions contain its secret. */
export type Credential =
  | { mode: 'token' | 'url_token'; accepts(presented: string, request: Pick<SignedRequest, 'nowMs'>): boolean }
  | { mode: 'signature'; verify: Verify }
  /** The pinned secret cannot be read. Senders get `503`, because the failure is internal (threat model S4). */
  | { mode: AuthMode; unreadable: true };

/** The last value of a recorded header, and its stored form. Most senders repeat their values. */
export interface RecordedHeader {
  value: string | null;
  text: string;
}

/** How a form becomes a payload. */
export interface FormRules {
  /** The field whose JSON is the payload; `null` for all fields, or `payload` if it is the only one. */
  jsonField: string | null;
  /** The only fields that the signature covers; `null` if it covers the whole body. Other fields are dropped. */
  signedFields: readonly string[] | null;
}

/** A webhook with everything that the handling of a delivery needs. */
export interface LiveWebhook {
  ref: number;
  uid: WebhookUid;
  name: string;
  factory: string;
  /** The commit that is live in its factory. */
  revision: string | null;
  credential: Credential;
  /** The version of the secret that `credential` checks. */
  pinned: { secretName: string; version: number };
  /** How the webhook would authenticate its senders with another version of its secret. It fetches nothing. */
  credentialWith(version: SecretValue): Credential;
  /** Whether a header value (one character for each byte) contains the secret, in plain text or base64. */
  holdsSecret(value: string): boolean;
  /** The handshakes of its provider that the webhook answers; empty for most webhooks. */
  handshakes: readonly LiveHandshake[];
  /** How to read its bodies; `null` if they are JSON. */
  form: FormRules | null;
  /** Header, in lowercase, with the sender's ID of the delivery; `null` if the webhook names none. */
  identityHeader: string | null;
  /** Keys from the root of the payload to the sender's ID of the delivery; `null` if webhook and scheme name none. */
  identityPath: readonly string[] | null;
  /** Whether a delivery with the body of an earlier one is a duplicate, also with another ID. */
  hasBodyKey: boolean;
  /** Whether a delivery with the identity of an earlier one is a duplicate. */
  deduplicate: boolean;
  /** The provider's ID in a request that did not verify, for display only. */
  claimedIdentity: ReadClaimedIdentity;
  /** Where its sender writes the name of the event; `null` if it is not known. */
  event: EventPlace | null;
  /** What a one-line summary of a delivery is made of; empty if the scheme has no template. */
  summary: readonly SummaryPart[];
  /** Reads what a delivery is about; `null` if the webhook serves no provider. */
  subject: SubjectReader | null;
  /** The paths of the values for identity, event, summary and subject. */
  describedBy: readonly (readonly string[])[];
  /** The headers, in lowercase, that carry its signature or token. They are never stored, even if a filter tests them. */
  credentialHeaders: ReadonlySet<string>;
  /** The request headers, by name in lowercase, that are stored with each delivery. */
  recordedHeaders: ReadonlyMap<string, RecordedHeader>;
  /** The provider whose triggers it serves, by its name in `TRIGGER_PROVIDERS`; `null` for none. */
  provider: string | null;
  /** What a sender gets for a stored delivery, also for a duplicate. */
  success: SuccessAnswer;
  /** The automations that its deliveries start. An apply changes them in place, together with its number. */
  listeners: ListenerIndex;
  /** The branch whose pushes this webhook reports; `null` if no source uses the webhook. */
  pushBranch: string | null;
}
