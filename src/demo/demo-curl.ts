import type { WebhookView } from '../core/ports/definitions/inventory.ts';
import { presentFields } from '../core/resources/fields.ts';
import { WEBHOOK_FIELDS } from '../core/resources/webhook.ts';
import type { SecretValue } from '../core/secret-value.ts';
import { buildSenderRequest } from '../sender/build-request.ts';
import { buildTokenCurl, renderCurl } from '../words/sending-commands.ts';

/** A payload for each webhook of the example factory. */
const PAYLOADS: Readonly<Record<string, unknown>> = {
  'internal-ci': { status: 'failed', branch: 'main', build: 4711, step: 'unit tests', commit: '9fceb02' },
  uptime: { service: 'checkout', state: 'down', since: '2026-11-21T06:00:00Z' },
  github: { action: 'opened', pull_request: { number: 42, title: 'Retry uploads', draft: false } },
};

/** Marks the place in a signed request where the shell inserts a new delivery ID. */
const ID_PLACEHOLDER = 'demo-id';

/** One line to paste into a shell: it sends a delivery to this webhook, with its credential. */
export function renderDemoCurl(webhook: WebhookView, ingressUrl: string, secret: SecretValue, nowMs: number): string {
  const body = JSON.stringify(PAYLOADS[webhook.name] ?? { hello: 'dockbell' });
  const url = `${ingressUrl}/webhooks/w/${webhook.uid}`;
  if (webhook.authMode === 'signature') return renderSigned({ ...webhook, ingressUrl: url }, body, secret, nowMs);
  const target = {
    ...presentFields(WEBHOOK_FIELDS, webhook),
    ingress_url: webhook.authMode === 'url_token' ? `${url}/{token}` : url,
  };
  return buildTokenCurl(target, secret.reveal(), body);
}

function renderSigned(
  target: WebhookView & { ingressUrl: string },
  body: string,
  secret: SecretValue,
  nowMs: number,
): string {
  const delivery = { body: Buffer.from(body), deliveryId: ID_PLACEHOLDER, nowMs, newId: () => ID_PLACEHOLDER };
  const request = buildSenderRequest(target, secret.reveal(), delivery);
  const headers = Object.entries(request.headers).map(
    ([name, value]) => [name, value === ID_PLACEHOLDER ? { kind: 'new-id' as const } : value] as const,
  );
  return renderCurl({ url: request.url, headers, body: Buffer.from(request.body).toString('utf8') });
}
