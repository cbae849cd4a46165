import type { IngressContext, Outcome } from '../ingress-context.ts';
import type { Reception } from '../reception.ts';
import * as answers from '../transport/answers.ts';
import { reject } from './reject.ts';

/** Step 8: the body must be JSON (RFC 8259) in valid UTF-8. */
export function parseJson(context: IngressContext, reception: Reception): Outcome | null {
  const parsed = reception.parseBody();
  if (parsed.ok) return null;
  const { reason, detail } = parsed;
  reject(context, reception, { label: 'Rejected (invalid JSON)', reason, detail, size: reception.body.length });
  return answers.INVALID_JSON;
}
