import { encodeTime, monotonicFactory } from 'ulid';

/** Identifier of a webhook; part of its ingress URL. `wh_` and 26 lowercase Crockford base-32 characters. */
export type WebhookUid = `wh_${string}`;
/** Identifier of one row of the delivery log, time-ordered. Not the sender's delivery ID. */
export type DeliveryId = `dlv_${string}`;
/** Identifier of a run, time-ordered. */
export type RunId = `run_${string}`;
/** Identifier of one reconciliation, time-ordered. */
export type ReconciliationId = `rec_${string}`;
/** Identifier of a replay of stored deliveries, time-ordered. */
export type ReplayId = `rpl_${string}`;
/** Identifier of a schedule. */
export type ScheduleId = `sch_${string}`;
/** Identifier of a commit status for one target, time-ordered. */
export type NoticeId = `ntc_${string}`;
/** Identifier of an alert, time-ordered. */
export type AlertId = `alt_${string}`;
/** Identifier of a message about alerts, time-ordered. */
export type AlertMessageId = `alm_${string}`;
/** Identifier of an API token (not the token itself). */
export type TokenId = `tok_${string}`;
/** Identifier of a user account. */
export type UserId = `usr_${string}`;
/** Identifier of a session (not the cookie value). */
export type SessionId = `ses_${string}`;
/** Identifier of a one-time login link (not its token). */
export type LoginLinkId = `lnk_${string}`;
/** Identifier of one entry of the audit log, time-ordered. */
export type AuditId = `aud_${string}`;

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const UID_PATTERN = /^wh_[0-9a-hjkmnp-tv-z]{26}$/;
const RUN_PATTERN = /^run_[0-9a-hjkmnp-tv-z]{26}$/;

/** Returns random bytes; `randomBytes` of `node:crypto` outside tests. */
export type RandomBytes = (size: number) => Uint8Array;

/** Whether a text has the form of a webhook UID. Case-sensitive, like the ingress. */
export function isWebhookUid(text: string): text is WebhookUid {
  return UID_PATTERN.test(text);
}

/** Whether a text has the form of a run's identifier. Checked before an identifier becomes part of a path. */
export function isRunId(text: string): text is RunId {
  return RUN_PATTERN.test(text);
}

/** Creates identifiers. IDs of one kind from one process are strictly increasing, even within a millisecond. */
export interface IdSource {
  webhookUid(): WebhookUid;
  /** @param atMs wall time in milliseconds that the ID contains */
  deliveryId(atMs: number): DeliveryId;
  runId(atMs: number): RunId;
  reconciliationId(atMs: number): ReconciliationId;
  replayId(atMs: number): ReplayId;
  scheduleId(atMs: number): ScheduleId;
  noticeId(atMs: number): NoticeId;
  tokenId(atMs: number): TokenId;
  userId(atMs: number): UserId;
  sessionId(atMs: number): SessionId;
  loginLinkId(atMs: number): LoginLinkId;
  auditId(atMs: number): AuditId;
  alertId(atMs: number): AlertId;
  alertMessageId(atMs: number): AlertMessageId;
}

/** @param randomBytes source of randomness; called for 4 KiB at a time, because one call per character would be slow */
export function createIdSource(randomBytes: RandomBytes): IdSource {
  const randomByte = createBytePool(randomBytes);
  const next = monotonicFactory(() => randomByte() / 256);
  const ulid = (atMs: number) => next(atMs).toLowerCase();
  return {
    webhookUid: () => {
      // 26 characters of 5 bits are 130 random bits; 256 is a multiple of 32, so the low five bits are unbiased.
      let text = '';
      for (let i = 0; i < 26; i++) text += CROCKFORD[randomByte() & 31];
      return `wh_${text}`;
    },
    deliveryId: (atMs) => `dlv_${ulid(atMs)}`,
    runId: (atMs) => `run_${ulid(atMs)}`,
    reconciliationId: (atMs) => `rec_${ulid(atMs)}`,
    replayId: (atMs) => `rpl_${ulid(atMs)}`,
    scheduleId: (atMs) => `sch_${ulid(atMs)}`,
    noticeId: (atMs) => `ntc_${ulid(atMs)}`,
    tokenId: (atMs) => `tok_${ulid(atMs)}`,
    userId: (atMs) => `usr_${ulid(atMs)}`,
    sessionId: (atMs) => `ses_${ulid(atMs)}`,
    loginLinkId: (atMs) => `lnk_${ulid(atMs)}`,
    auditId: (atMs) => `aud_${ulid(atMs)}`,
    alertId: (atMs) => `alt_${ulid(atMs)}`,
    alertMessageId: (atMs) => `alm_${ulid(atMs)}`,
  };
}

/**
 * An ID that is the same for the same time and hash, so that what it identifies is stored once.
 * @param hash at least 16 bytes, of which 80 bits are used
 */
export function derivedAuditId(atMs: number, hash: Uint8Array): AuditId {
  const text = Array.from(hash.subarray(0, 16), (byte) => CROCKFORD[byte & 31]).join('');
  return `aud_${encodeTime(atMs).toLowerCase()}${text}`;
}

function createBytePool(randomBytes: RandomBytes): () => number {
  let pool = new Uint8Array(0);
  let used = 0;
  return () => {
    if (used === pool.length) {
      pool = randomBytes(4096) as Uint8Array<ArrayBuffer>;
      used = 0;
    }
    return pool[used++]!;
  };
}
