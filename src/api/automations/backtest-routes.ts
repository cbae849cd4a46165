import type { FastifyInstance, FastifyRequest } from 'fastify';
import { filterOf } from '../../domain/definitions/trigger.ts';
import { AppError } from '../../domain/errors.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Backtester, ProposedTrigger } from '../../domain/ports/delivery-control.ts';
import type { InventoryReader, WebhookView } from '../../domain/ports/inventory.ts';
import { evaluateFilter } from '../../reconcile/inspection/evaluate-filter.ts';
import { presentBacktest } from '../../reconcile/plan-report/present-plan.ts';
import { refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { factoryOf, requireReached } from '../server/reach.ts';

interface BacktestRouteParts {
  inventory: InventoryReader;
  backtester: Backtester;
}

interface BodyTrigger {
  provider: string;
  filter?: {
    webhook_ids?: string[] | { in: string[] };
    webhooks?: string[];
    headers?: JsonObject;
    payload?: JsonObject | null;
  };
}

interface BacktestBody {
  automation: string | null;
  enabled?: boolean;
  triggers: BodyTrigger[];
}

const texts = { type: 'array', items: { type: 'string' }, maxItems: 100 };

const backtestSchema = {
  type: 'object',
  required: ['automation', 'triggers'],
  additionalProperties: false,
  properties: {
    automation: {
      type: ['string', 'null'],
      description: 'The automation whose triggers these would replace; `null` for a new one.',
    },
    enabled: {
      type: 'boolean',
      default: true,
      description: 'Whether the automation is enabled. Disabled automations never start runs.',
    },
    triggers: {
      type: 'array',
      maxItems: 100,
      description: 'As in the front matter of a file. Triggers of other providers start nothing here.',
      items: {
        type: 'object',
        required: ['provider'],
        additionalProperties: true,
        properties: {
          provider: { type: 'string' },
          filter: {
            type: 'object',
            properties: {
              webhook_ids: {
                anyOf: [
                  texts,
                  { type: 'object', required: ['in'], additionalProperties: false, properties: { in: texts } },
                ],
              },
              webhooks: texts,
              headers: { type: 'object' },
              payload: { type: ['object', 'null'] },
            },
          },
        },
      },
    },
  },
};

/** `POST /factories/{factory}/backtests`: what triggers would have started, before they are saved. */
export function registerBacktestRoutes(app: FastifyInstance, parts: BacktestRouteParts): void {
  app.post<{ Body: BacktestBody }>(
    '/factories/:factory/backtests',
    {
      config: { access: requireRole('viewer', 'factory'), changes: false },
      schema: {
        tags: ['Automations'],
        summary: 'Test triggers that are not saved yet on stored deliveries',
        description:
          'Evaluates the deliveries of the last 7 days with these triggers and with the applied triggers of the automation. Nothing is written. An invalid filter returns 422.',
        body: backtestSchema,
        response: { 200: refTo('Backtest'), 422: refTo('Problem') },
      },
    },
    async (request) => {
      const { automation, enabled } = request.body;
      const proposed = await readTriggers(parts, request);
      const triggers = enabled === false ? [] : proposed;
      return presentBacktest(await parts.backtester.backtest(factoryOf(request).name, automation, triggers));
    },
  );
}

async function readTriggers(
  { inventory }: BacktestRouteParts,
  request: FastifyRequest<{ Body: BacktestBody }>,
): Promise<ProposedTrigger[]> {
  const { automation, triggers } = request.body;
  const factory = factoryOf(request).name;
  if (automation !== null) requireReached(request, 'automation', await inventory.automation(factory, automation));
  const webhooks = await inventory.webhooks(factory);
  return triggers
    .filter(({ provider }) => provider === 'webhook')
    .map(({ filter = {} }) => {
      const tested = filterOf({ headers: filter.headers ?? {}, payload: filter.payload ?? null });
      // Throws if the filter is invalid. The result does not matter.
      evaluateFilter(tested, { headers: {}, payload: null });
      return { listensTo: listListened(webhooks, filter), filter: tested };
    });
}

/** UIDs of deleted webhooks start nothing, as in a definition. Names have to exist. */
function listListened(webhooks: readonly WebhookView[], filter: NonNullable<BodyTrigger['filter']>): WebhookUid[] {
  const ids = Array.isArray(filter.webhook_ids) ? filter.webhook_ids : (filter.webhook_ids?.in ?? []);
  const named = (filter.webhooks ?? []).map((name) => {
    const found = webhooks.find((webhook) => webhook.name === name);
    if (found !== undefined) return found.uid;
    throw new AppError('bad_request', `There is no webhook ${JSON.stringify(name.slice(0, 100))} in this factory.`);
  });
  const listed = webhooks.filter(({ uid }) => ids.includes(uid)).map(({ uid }) => uid);
  return [...new Set([...listed, ...named])];
}
