import type { BodyReason } from '../../domain/words/delivery-reasons.ts';
import { explainBody } from '../explain-body.ts';
import type { IngressContext, Outcome } from '../ingress-context.ts';
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
