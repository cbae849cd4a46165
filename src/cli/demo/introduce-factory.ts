import { randomUUID } from 'node:crypto';
import type { Daemon } from '../../app/daemon.ts';
import { nameTrigger } from '../../definitions/triggers/describe-events.ts';
import { createTicks } from '../../domain/cron/ticks.ts';
import { isWebhookTrigger, scheduleOf } from '../../domain/definitions/trigger.ts';
import type { WebhookView } from '../../domain/ports/inventory.ts';
import { presentFields } from '../../domain/resources/fields.ts';
import { WEBHOOK_FIELDS } from '../../domain/resources/webhook.ts';
import type { SecretValue } from '../../domain/secrets/secret-value.ts';
import { formatInstant, systemClock } from '../../domain/time/clock.ts';
import { buildTokenCurl, renderCurl } from '../../domain/words/sending-commands.ts';
import { buildSenderRequest, type SenderRequest } from '../../ingress/sender/build-request.ts';
import type { DemoDelivery, DemoFactory } from './demo-factories.ts';

type Serving = Pick<Daemon, 'inventory' | 'secrets' | 'ingressUrl'>;

const NO_DELIVERY = { body: { hello: 'dockbell' } };
const ANSWERS_WITHIN_MS = 10_000;

/** Lines with a command for each webhook of the factory. */
export async function renderCurls(daemon: Serving, factory: DemoFactory): Promise<string[]> {
  const lines: string[] = [];
  for (const webhook of await daemon.inventory.webhooks(factory.name)) {
    const request = await composeRequest(daemon, factory, webhook);
    const curl = request === null ? '(its secret is missing)' : renderDemoCurl(request);
    lines.push('', `# ${webhook.name}: ${webhook.description ?? webhook.authMode}`, curl);
  }
  return lines;
}

/** Lines with the triggers of each automation, and for schedules with the next time. */
export async function renderTriggers({ inventory }: Serving, factory: DemoFactory): Promise<string[]> {
  const now = systemClock.wallMs();
  const automations = await inventory.automations(factory.name);
  return automations.map(({ name, triggers }) => {
    const described = triggers.map((trigger) => {
      if (isWebhookTrigger(trigger)) return 'webhook received';
      const schedule = scheduleOf(trigger);
      if (schedule === null) return nameTrigger(trigger.declared);
      const next = createTicks(schedule, now).next(now);
      return `schedule ${schedule.cron}, next at ${next === null ? 'no time' : formatInstant(next)}`;
    });
    return `  ${name}: ${described.join(', ')}`;
  });
}

/** Sends the delivery of the factory for a webhook with a signature, and says what the daemon answered. */
export async function sendDelivery(daemon: Serving, factory: DemoFactory, name: string): Promise<string> {
  const webhook = (await daemon.inventory.webhooks(factory.name)).find((one) => one.name === name);
  const request = webhook === undefined ? null : await composeRequest(daemon, factory, webhook);
  if (request === null)
    return `The factory ${factory.name} has no webhook ${name} with a secret, so no event was sent.\n`;
  const { url, headers, body } = signDelivery(request, randomUUID());
  const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS);
  const { status } = await fetch(url, { method: 'POST', headers, body: Buffer.from(body), signal });
  return `Sent a signed event to the webhook ${name} of the factory ${factory.name}: ${status}\n`;
}

async function composeRequest(
  daemon: Serving,
  { deliveries }: DemoFactory,
  webhook: WebhookView,
): Promise<DemoRequest | null> {
  const secret = await daemon.secrets.open(webhook.secretName, webhook.secretVersion);
  if (secret === null) return null;
  const delivery = deliveries[webhook.name] ?? NO_DELIVERY;
  return { webhook, ingressUrl: daemon.ingressUrl, secret, delivery, nowMs: systemClock.wallMs() };
}

/** Marks the place in a signed request where the shell inserts a new delivery ID. */
const ID_PLACEHOLDER = 'demo-id';

/** A delivery to a webhook of the demo, and its credential. */
interface DemoRequest {
  webhook: WebhookView;
  ingressUrl: string;
  secret: SecretValue;
  delivery: DemoDelivery;
  /** Wall time in milliseconds, for signatures. */
  nowMs: number;
}

/** One line to paste into a shell: it sends the delivery, with the credential. */
function renderDemoCurl({ webhook, delivery, secret, ...request }: DemoRequest): string {
  if (webhook.authMode === 'signature') {
    return renderSigned(signDelivery({ webhook, delivery, secret, ...request }, ID_PLACEHOLDER));
  }
  const url = urlOf(webhook, request.ingressUrl);
  const target = {
    ...presentFields(WEBHOOK_FIELDS, webhook),
    ingress_url: webhook.authMode === 'url_token' ? `${url}/{token}` : url,
  };
  return buildTokenCurl(target, secret.reveal(), JSON.stringify(delivery.body));
}

/** The request to a webhook with a signature. */
function signDelivery(
  { webhook, ingressUrl, secret, delivery: { headers = {}, body }, nowMs }: DemoRequest,
  deliveryId: string,
): SenderRequest {
  const target = { ...webhook, ingressUrl: urlOf(webhook, ingressUrl) };
  const delivery = { headers, body: Buffer.from(JSON.stringify(body)), deliveryId, nowMs, newId: () => deliveryId };
  return buildSenderRequest(target, secret.reveal(), delivery);
}

function urlOf({ uid }: WebhookView, ingressUrl: string): string {
  return `${ingressUrl}/webhooks/w/${uid}`;
}

function renderSigned({ url, headers, body }: SenderRequest): string {
  const values = Object.entries(headers).map(
    ([name, value]) => [name, value === ID_PLACEHOLDER ? { kind: 'new-id' as const } : value] as const,
  );
  return renderCurl({ url, headers: values, body: Buffer.from(body).toString('utf8') });
}
