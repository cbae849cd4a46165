import { DISCONNECTED, type IngressContext, type Outcome } from '../ingress-context.ts';
import type { Reception } from '../reception.ts';
import * as answers from '../transport/answers.ts';
import type { BodyRead } from '../transport/read-body.ts';
import { reject, rejectUnlogged } from './reject.ts';

/** Reads the bytes of the body, up to the limit. */
export function receiveBody(context: IngressContext, reception: Reception): Promise<Outcome | null> {
  return reception.request.readBody(context.maxBodyBytes).then((read) => noteBody(context, reception, read));
}

function noteBody(context: IngressContext, reception: Reception, read: BodyRead): Outcome | null {
  if (read.ok) {
    reception.receiveBody(read.body);
    return null;
  }
  const { webhook } = reception;
  if (read.reason === 'aborted') {
    context.unlogged.add(webhook, 'incomplete_body');
    return DISCONNECTED;
  }
  if (read.reason === 'overloaded') return rejectUnlogged(context, webhook, 'overloaded', answers.UNAVAILABLE);
  const { maxBodyBytes } = context;
  reject(context, reception, {
    label: 'Rejected (too large)',
    reason: 'too_large',
    detail: `over the limit of ${maxBodyBytes} bytes`,
    size: read.bytes,
  });
  return answers.tooLarge(maxBodyBytes);
}
