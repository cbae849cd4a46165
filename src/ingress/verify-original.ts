import type { Clock } from '../domain/time/clock.ts';
import type { Registry } from './registry/registry.ts';
import { createRequestHeaders } from './transport/request-headers.ts';

/** A request as its provider reports it. */
export interface ReportedRequest {
  /** Name, value, name, value. */
  headers: readonly string[];
  body: Uint8Array;
}

interface VerifierParts {
  registry: Pick<Registry, 'current'>;
  clock: Pick<Clock, 'wallMs'>;
  /** Public address of the ingress, without a trailing slash. */
  baseUrl(): string;
}

/** Would a live webhook accept the signature of a request? `false` also for webhooks that check no signature. */
export async function verifyOriginal(
  { registry, clock, baseUrl }: VerifierParts,
  uid: string,
  { headers, body }: ReportedRequest,
): Promise<boolean> {
  const webhook = registry.current().webhooks.get(uid);
  if (webhook === undefined || !('verify' in webhook.credential)) return false;
  const result = await webhook.credential.verify({
    method: 'POST',
    headers: createRequestHeaders(headers),
    body,
    json: () => JSON.parse(Buffer.from(body).toString('utf8')),
    publicUrl: () => `${baseUrl()}/webhooks/w/${uid}`,
    nowMs: clock.wallMs(),
  });
  return result.ok;
}
