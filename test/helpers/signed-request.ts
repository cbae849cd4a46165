import type { SignedDelivery } from '../../src/definitions/signature/outgoing-delivery.ts';
import type { SignedRequest, VerifyResult } from '../../src/definitions/signature/verification.ts';

export const WEBHOOK_URL = 'https://hooks.example.com/webhooks/w/wh_00000000000000000000000000';

/** A request as the ingress passes it to a verifier. */
export interface TestRequest {
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  nowMs: number;
  method?: string;
  url?: string;
}

/** Header fields by lowercase name, without inherited properties and outer white space. The body is parsed on demand. */
export function toSignedRequest({
  headers,
  body,
  nowMs,
  method = 'POST',
  url = WEBHOOK_URL,
}: TestRequest): SignedRequest {
  const fields = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.replace(/^[ \t]+|[ \t]+$/g, '')]),
  );
  return {
    method,
    body,
    nowMs,
    headers: { get: (name: string) => fields.get(name) },
    json: () => parse(body),
    publicUrl: () => url,
  };
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** A signed request as it arrives. */
export function receive(
  { headers, body, query }: SignedDelivery,
  nowMs: number,
  change: Partial<TestRequest> = {},
): SignedRequest {
  const url = query === '' ? WEBHOOK_URL : `${WEBHOOK_URL}?${query}`;
  return toSignedRequest({ headers, body, nowMs, url, ...change });
}

/** `accepted`, or the reason. */
export function resultOf(result: VerifyResult): string {
  return result.ok ? 'accepted' : result.reason;
}
