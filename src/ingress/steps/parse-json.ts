import { isUtf8 } from 'node:buffer';
import { findCoding } from '../../definitions/signature/diagnose/decompress.ts';
import { FORM_TYPE } from '../../definitions/signature/verify/request-parts.ts';
import type { BodyReason } from '../../domain/words/delivery-reasons.ts';
import type { IngressContext, Outcome } from '../ingress-context.ts';
import type { RejectedBody } from '../json-body.ts';
import type { Reception } from '../reception.ts';
import * as answers from '../transport/answers.ts';
import { reject } from './reject.ts';

/** Their senders post no form, to a webhook that expects one. Their JSON can be valid. */
const NO_FORM: ReadonlySet<BodyReason> = new Set<BodyReason>([
  'body_is_json',
  'unexpected_content_type',
  'invalid_form',
]);

/** The body must be JSON (RFC 8259) of bounded depth in valid UTF-8, or a form, if the webhook expects forms. */
export function parseJson(context: IngressContext, reception: Reception): Outcome | null {
  const read = reception.readPayload();
  if (read.ok) return null;
  const { reason, detail } = explainBody(reception, read);
  reject(context, reception, { label: 'Rejected (invalid JSON)', reason, detail, size: reception.body.length });
  return NO_FORM.has(reason) ? answers.INVALID_FORM : answers.INVALID_JSON;
}

/** Names of fields are shorter. */
const MAX_NAME_BYTES = 200;

/** Finds the cause of a rejection that the bytes alone do not show: the sender posts another format than the webhook expects. */
function explainBody(reception: Reception, rejected: RejectedBody): RejectedBody {
  if (rejected.reason === 'empty_body') return rejected;
  // The header alone proves nothing: some proxies keep it when they decompress. Compressed bytes are not valid UTF-8.
  const coding = isUtf8(reception.body) ? null : findCoding(reception.headers, reception.body);
  if (coding !== null) return { ok: false, reason: 'compressed_body', detail: coding };
  if (rejected.reason !== 'invalid_json' || !isUnexpectedForm(reception)) return rejected;
  return { ok: false, reason: 'body_is_form', detail: null };
}

/** `curl -d` declares JSON as a form, so the body must look like a form too. */
function isUnexpectedForm({ webhook, headers, body }: Reception): boolean {
  if (webhook.form !== null || !(headers.get('content-type') ?? '').toLowerCase().startsWith(FORM_TYPE)) return false;
  return /^[^{["\s]+=/.test(body.toString('latin1', 0, MAX_NAME_BYTES));
}
