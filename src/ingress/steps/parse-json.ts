import type { IngressContext, Outcome } from '../ingress-context.ts';
import type { Reception } from '../reception.ts';
import * as answers from '../transport/answers.ts';
import { reject } from './reject.ts';

/** Step 8: the body must be JSON (RFC 8259) of bounded depth in valid UTF-8. */
export function parseJson(context: IngressContext, reception: Reception): Outcome | null {
  const read = reception.readPayload();
  if (read.ok) return null;
  const { reason, detail } = read;
  reject(context, reception, { label: 'Rejected (invalid JSON)', reason, detail, size: reception.body.length });
  return answers.INVALID_JSON;
}
