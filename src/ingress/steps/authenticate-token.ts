import type { IngressContext, Outcome } from '../ingress-context.ts';
import type { Reception } from '../reception.ts';
import * as answers from '../transport/answers.ts';
import { admitDelivery } from './admit-delivery.ts';
import { readToken } from './read-token.ts';
import { rejectCredential, rejectUnlogged } from './reject.ts';

/** Checks the credential of `token` and `url_token`, then admits the delivery, before the body is read. */
export function authenticateToken(
  context: IngressContext,
  reception: Reception,
): Promise<Outcome | null> | Outcome | null {
  const { webhook } = reception;
  const { credential } = webhook;
  if ('unreadable' in credential) return rejectUnlogged(context, webhook, 'secret_unreadable', answers.UNAVAILABLE);
  if (credential.mode === 'signature') return null;
  const presented = readToken(credential.mode, reception);
  if (presented.ok && credential.accepts(presented.token, reception)) return admitDelivery(context, reception);
  const reason = presented.ok ? explainToken(presented.token, reception) : presented.reason;
  return rejectCredential(context, reception, { reason, detail: null });
}

/** Some senders encode `~`, which RFC 3986 calls equivalent. The path is compared as sent, so such a token is wrong. */
function explainToken(token: string, reception: Reception): 'bad_credential' | 'encoded_token' {
  const { credential } = reception.webhook;
  if ('unreadable' in credential || credential.mode !== 'url_token' || !token.includes('%')) return 'bad_credential';
  const decoded = decodePercent(token);
  return decoded !== null && credential.accepts(decoded, reception) ? 'encoded_token' : 'bad_credential';
}

function decodePercent(token: string): string | null {
  try {
    return decodeURIComponent(token);
  } catch {
    return null;
  }
}
