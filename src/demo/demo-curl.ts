import type { WebhookView } from '../core/ports/definitions/inventory.ts';
import type { SecretValue } from '../core/secret-value.ts';
import { buildSenderRequest } from '../sender/build-request.ts';

/** What a sender of each example webhook would post. */
const PAYLOADS: Readonly<Record<string, unknown>> = {
  'internal-ci': { status: 'failed', branch: 'main', build: 4711, step: 'unit tests', commit: '9fceb02' },
  uptime: { service: 'checkout', state: 'down', since: '2026-11-21T06:00:00Z' },
  github: { action: 'opened', pull_request: { number: 42, title: 'Retry uploads', draft: false } },
};

/** Stands in the request where the shell puts a new ID, so that the same line can be pasted twice. */
const ID_PLACEHOLDER = 'demo-id';
const FRESH_ID = '"demo-$(date +%s)-$$"';

/** A line to paste into a shell: one delivery of this webhook, with its credential. */
export function renderDemoCurl(webhook: WebhookView, ingressUrl: string, secret: SecretValue, nowMs: number): string {
  const body = JSON.stringify(PAYLOADS[webhook.name] ?? { hello: 'dockbell' });
  const url = `${ingressUrl}/webhooks/w/${webhook.uid}`;
  const target = { ...webhook, ingressUrl: webhook.authMode === 'url_token' ? `${url}/{token}` : url };
  const delivery = { body: Buffer.from(body), deliveryId: ID_PLACEHOLDER, nowMs, newId: () => ID_PLACEHOLDER };
  const request = buildSenderRequest(target, secret.reveal(), delivery);
  const headers = Object.entries(request.headers).map(([name, value]) => `-H ${quoteHeader(name, value)}`);
  return ['curl -i', quote(request.url), ...headers, '-d', quote(Buffer.from(request.body).toString('utf8'))].join(' ');
}

function quoteHeader(name: string, value: string): string {
  return value === ID_PLACEHOLDER ? `${quote(`${name}: `)}${FRESH_ID}` : quote(`${name}: ${value}`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
