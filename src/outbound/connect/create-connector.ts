// Webhooks at providers. In: an order of a person with a token, which is never stored. Out: the difference between a webhook
// here and at the provider, and the request that removes it.
// Next: `collect-events.ts` for the events that automations need, `compare-hooks.ts` for the difference, `providers/` for the
// APIs, `hook-provider.ts` for what a provider offers.

import { createHash } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import type { InventoryReader, WebhookView } from '../../domain/ports/inventory.ts';
import type { SecretStore } from '../../domain/ports/secret-store.ts';
import type {
  ConnectionPlan,
  ConnectOrder,
  ConnectProvider,
  WebhookConnector,
} from '../../domain/ports/webhook-connector.ts';
import type { SecretValue } from '../../domain/secrets/secret-value.ts';
import { requireApiUrl, requireConnectable, requireReachable } from './check-order.ts';
import { collectEvents, type WantedEvents } from './collect-events.ts';
import { type Comparison, compareHooks, isInSync, needsApply } from './compare-hooks.ts';
import type { FactorySetting, HookProvider, HookRegistry, WantedHook } from './hook-provider.ts';
import { ProviderApi } from './provider-api.ts';
import { HOOK_PROVIDERS } from './providers.ts';

interface ConnectorParts {
  inventory: Pick<InventoryReader, 'automations'>;
  secrets: Pick<SecretStore, 'open'>;
  /** Where senders reach the ingress, without a slash at its end. */
  baseUrl(): string;
  /** The settings of the factory that need events of this webhook at the provider. */
  listSettings(webhook: Pick<WebhookView, 'factory' | 'name'>, provider: ConnectProvider): readonly FactorySetting[];
  userAgent: string;
  nowMs(): number;
}

/** What an order wants, before the provider is asked. */
interface Wanted {
  webhook: WebhookView;
  order: ConnectOrder;
  provider: HookProvider;
  apiUrl: string;
  hook: WantedHook;
  found: WantedEvents;
}

/** Registers webhooks at their providers. Token and secret are in memory for one order, and in no error. */
export function createWebhookConnector(parts: ConnectorParts): WebhookConnector {
  return {
    plan: async (webhook, order) => {
      const wanted = await prepare(parts, webhook, order);
      return connect(parts, wanted, async (registry) => {
        return composePlan(wanted, registry.target, compare(wanted, await registry.list()));
      });
    },
    apply: async (webhook, order, digest) => {
      const wanted = await prepare(parts, webhook, order);
      return connect(parts, wanted, async (registry) => {
        const compared = compare(wanted, await registry.list());
        const plan = composePlan(wanted, registry.target, compared);
        if (plan.digest !== digest) {
          const advice = 'Request the difference again, and confirm it';
          throw new AppError('precondition_failed', `The difference has changed since it was shown. ${advice}.`);
        }
        return plan.action === 'none' ? plan : change(wanted, registry, compared, plan);
      });
    },
  };
}

async function prepare(parts: ConnectorParts, webhook: WebhookView, order: ConnectOrder): Promise<Wanted> {
  const provider = HOOK_PROVIDERS[order.provider];
  requireConnectable(webhook, provider);
  const apiUrl = requireApiUrl(provider, order.apiUrl);
  const url = `${parts.baseUrl()}/webhooks/w/${webhook.uid}`;
  requireReachable(provider, url, apiUrl);
  const automations = await parts.inventory.automations(webhook.factory);
  const listening = { ...webhook, settings: parts.listSettings(webhook, order.provider) };
  const found = collectEvents(order.provider, provider.events, listening, automations);
  if (found.events.length === 0) {
    const why =
      found.notes.length === 0 ? `Add a trigger of ${provider.title} to an automation.` : found.notes.join(' ');
    throw new AppError('cannot_connect', `No enabled automation needs an event that can be registered. ${why}`);
  }
  const secret = await openSecret(parts, webhook);
  const { bodyFormat: contentType, signatureScheme } = webhook;
  const { events, isAll } = found;
  const hook = { url, contentType, events, isAll, scheme: signatureScheme!, secret };
  return { webhook, order, provider, apiUrl, hook, found };
}

async function openSecret({ secrets }: ConnectorParts, { name, secretName, secretVersion }: WebhookView) {
  const secret: SecretValue | null = await secrets.open(secretName, secretVersion);
  if (secret !== null) return secret;
  throw new AppError(
    'cannot_connect',
    `The secret ${secretName} of the webhook ${name} no longer exists. Create it again.`,
  );
}

function connect<T>(parts: ConnectorParts, wanted: Wanted, use: (registry: HookRegistry) => Promise<T>): Promise<T> {
  const { order, provider, apiUrl, hook } = wanted;
  const apiParts = {
    title: provider.title,
    apiUrl,
    allowPrivate: order.apiUrl !== null,
    authorization: provider.authorize(order.token.reveal()),
    secrets: [order.token, hook.secret],
    userAgent: parts.userAgent,
    nowMs: parts.nowMs,
  };
  return ProviderApi.use(apiParts, (api) => {
    const registry = provider.open(api, order.target, hook.scheme);
    if (registry !== null) return use(registry);
    throw new AppError('bad_request', `The target has another form. Use ${provider.targetForms}.`);
  });
}

function compare(
  { webhook, order, provider, hook }: Wanted,
  hooks: Awaited<ReturnType<HookRegistry['list']>>,
): Comparison {
  return compareHooks(hooks, hook, {
    webhookUid: webhook.uid,
    secretLabel: `${webhook.secretName}, version ${webhook.secretVersion}`,
    sendSecret: order.sendSecret,
    enableByHand: provider.enableByHand,
  });
}

async function change(
  wanted: Wanted,
  registry: HookRegistry,
  { hook, fields }: Comparison,
  plan: ConnectionPlan,
): Promise<ConnectionPlan> {
  const changed = new Set(
    fields.filter(({ state }) => state === 'change' || state === 'send').map(({ field }) => field),
  );
  const made = hook === null ? await registry.create(wanted.hook) : await registry.update(hook, wanted.hook, changed);
  const left = compare(wanted, [made]).fields.filter(({ state }) => state === 'change');
  if (left.length === 0) return { ...plan, hook: made.id };
  const names = left.map(({ field }) => field).join(', ');
  const what = `${wanted.provider.title} accepted the request, and reports other values than it was sent: ${names}`;
  throw new AppError('provider_failed', `${what}. Check the webhook ${made.id} there.`);
}

function composePlan({ webhook, order, apiUrl, found }: Wanted, target: string, compared: Comparison): ConnectionPlan {
  const { hook, fields } = compared;
  const plan = {
    provider: order.provider,
    target,
    apiUrl,
    action: chooseAction(compared),
    hook: hook?.id ?? null,
    inSync: isInSync(fields),
    fields,
    neededBy: found.neededBy,
    notes: found.notes,
    secret: { name: webhook.secretName, version: webhook.secretVersion },
  };
  const digest = createHash('sha256')
    .update(JSON.stringify([webhook.uid, plan]))
    .digest('hex');
  return { ...plan, digest };
}

function chooseAction({ hook, fields }: Comparison): ConnectionPlan['action'] {
  if (hook === null) return 'create';
  return needsApply(fields) ? 'change' : 'none';
}
