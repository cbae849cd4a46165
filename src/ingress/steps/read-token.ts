import { readBearerToken } from '../../definitions/signature/tokens/token.ts';
import type { Reception } from '../reception.ts';

/** The token of the request, or why it has none. */
export function readToken(mode: 'token' | 'url_token', { urlToken, headers }: Reception) {
  if (mode === 'token') return readBearerToken(headers.get('authorization'));
  if (urlToken === null) return { ok: false, reason: 'missing_credential' } as const;
  return { ok: true, token: urlToken } as const;
}
