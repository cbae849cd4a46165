import { FORM_TYPE } from '../../signature/verify/request-parts.ts';
import type { IngressContext, Outcome } from '../ingress-context.ts';
import type { Reception } from '../reception.ts';
import * as answers from '../transport/answers.ts';
import { reject } from './reject.ts';

/** Step 8: the body must be JSON (RFC 8259) of bounded depth in valid UTF-8, or a form, if the webhook expects forms. */
export function parseJson(context: IngressContext, reception: Reception): Outcome | null {
  const read = reception.readPayload();
  if (read.ok) return null;
  const { reason } = read;
  const detail = isUnexpectedForm(reception)
    ? `${read.detail}, but a form: bodyFormat: form accepts forms`
    : read.detail;
  reject(context, reception, { label: 'Rejected (invalid JSON)', reason, detail, size: reception.body.length });
  return answers.INVALID_JSON;
}

/** `curl -d` declares JSON as a form, so the body must look like a form too. */
function isUnexpectedForm({ webhook, headers, body }: Reception): boolean {
  if (webhook.form !== null || !(headers.get('content-type') ?? '').toLowerCase().startsWith(FORM_TYPE)) return false;
  return /^[^{["\s]+=/.test(body.toString('latin1', 0, MAX_NAME_BYTES));
}

/** Names of fields are shorter. */
const MAX_NAME_BYTES = 200;
