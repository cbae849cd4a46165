import type { SecretVersion } from '../../domain/ports/secret-store.ts';
import type { RejectionEntry } from '../../domain/resources/delivery.ts';
import { describeUsedVersion } from '../../domain/words/credentials.ts';
import type { AuthReason } from '../../domain/words/delivery-reasons.ts';
import type { UnloggedReason } from '../../domain/words/unlogged-reasons.ts';
import type { IngressContext } from '../ingress-context.ts';
import type { UnloggedWebhook } from '../log/unlogged-tally.ts';
import type { Reception } from '../reception.ts';
import type { LiveWebhook } from '../registry/live-webhook.ts';
import type { IngressAnswer } from '../transport/answers.ts';
import * as answers from '../transport/answers.ts';
import { findNamedIdentity } from './identify.ts';
import { recordHeaders } from './record-headers.ts';

/** Rejects and counts a request to a known webhook without a row in the delivery log. */
export function rejectUnlogged(
  { unlogged }: Pick<IngressContext, 'unlogged'>,
  webhook: UnloggedWebhook,
  reason: UnloggedReason,
  answer: IngressAnswer,
): IngressAnswer {
  unlogged.add(webhook, reason);
  return answer;
}

/** Counts a rejection whose row could not be stored. Requests over the delivery rate are counted already. */
export function countLostRow(
  { registry, unlogged }: Pick<IngressContext, 'registry' | 'unlogged'>,
  { label, webhook, count }: RejectionEntry,
): void {
  const known = registry.known.findByRef(webhook);
  if (known !== undefined && label !== null) unlogged.add(known, 'row_not_stored', count);
}

/**
 * Rejects with `401`, or with `429` if the failure budget of this webhook and client address is used up. Only the `401`
 * creates a row.
 */
export function rejectCredential(
  context: IngressContext,
  reception: Reception,
  { reason, detail }: Pick<RejectionEntry, 'reason' | 'detail'>,
): IngressAnswer {
  const { webhook, request, body } = reception;
  const admission = context.limits.admitFailure(webhook.uid, request.clientAddress, context.clock.monotonicMs());
  if (!admission.ok) {
    return rejectUnlogged(context, webhook, 'failed_auth_rate', answers.tooManyRequests(admission.retryAfterSeconds));
  }
  const row = composeRow(context, reception, { label: 'Rejected (auth)', reason, detail, size: body.length });
  if (!WRONG_SECRET.has(reason)) writeCaptured(context, reception, row);
  else {
    context.versionTrials.begin(reception, (version) =>
      writeCaptured(context, reception, version === null ? row : { ...row, ...explainVersion(webhook, version) }),
    );
  }
  return answers.UNAUTHORIZED;
}

/** The reasons behind which another version of the secret can be. */
const WRONG_SECRET: ReadonlySet<string> = new Set<AuthReason>(['bad_credential', 'bad_signature']);

function explainVersion(
  { pinned }: LiveWebhook,
  { version, createdAt, createdBy, replacedAt, replacedBy }: SecretVersion,
): Pick<RejectionEntry, 'reason' | 'detail'> {
  const reason: AuthReason = version < pinned.version ? 'old_secret_version' : 'new_secret_version';
  const stored = { at: createdAt, by: createdBy };
  const replaced = replacedAt === null ? null : { at: replacedAt, by: replacedBy };
  const { secretName, version: checked } = pinned;
  return { reason, detail: describeUsedVersion({ secretName, version, checked, stored, replaced }) };
}

/** What a row says about one rejected request. */
type Rejection = Pick<RejectionEntry, 'reason' | 'detail' | 'size'> & { label: Exclude<RejectionEntry['label'], null> };

/** Writes a row of metadata without body and credential. */
export function reject(context: IngressContext, reception: Reception, rejection: Rejection): void {
  write(context, composeRow(context, reception, rejection));
}

function writeCaptured(context: IngressContext, reception: Reception, row: RejectionEntry): void {
  if (write(context, row)) capture(context, reception, row);
}

/** `false` if the request was only counted. */
function write({ clock, metrics, rejectionRows }: IngressContext, row: RejectionEntry): boolean {
  const isWritten = rejectionRows.add(row, clock.monotonicMs());
  if (!isWritten) metrics.countRejection('rejection_rows');
  return isWritten;
}

function composeRow(
  { clock, ids, metrics }: IngressContext,
  reception: Reception,
  { label, reason, detail, size }: Rejection,
): RejectionEntry {
  const { webhook, request, providerIdentity } = reception;
  const nowMs = clock.wallMs();
  const named = providerIdentity ?? webhook.claimedIdentity(reception);
  metrics.countDelivery(webhook, label);
  return {
    kind: 'rejection',
    id: ids.deliveryId(nowMs),
    webhook: webhook.ref,
    label,
    reason,
    detail,
    identity: findNamedIdentity({ headers: request.headers, providerIdentity: named, payload: undefined }, webhook),
    size,
    count: 1,
    receivedAt: nowMs,
    clientAddress: request.clientAddress,
    headers: recordHeaders(request.headers, webhook),
    revision: webhook.revision,
  };
}

/** Captures the request for `dockbell diagnose` if a capture window is open. A URL token needs no diagnosis. */
function capture({ captures }: IngressContext, reception: Reception, { id, receivedAt }: RejectionEntry): void {
  const { webhook, headers, body } = reception;
  if (!captures.isOpen(webhook.uid) || webhook.credential.mode === 'url_token') return;
  const publicUrl = reception.publicUrl();
  captures.keep(webhook.uid, { delivery: id, rawHeaders: headers.raw, body, publicUrl, receivedAt });
}
