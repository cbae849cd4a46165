import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/errors.ts';
import type { JsonObject, JsonSchema } from '../../domain/json.ts';
import type { InventoryReader } from '../../domain/ports/inventory.ts';
import {
  CONNECT_PROVIDERS,
  type ConnectionPlan,
  type ConnectOrder,
  type ConnectProvider,
  type WebhookConnector,
} from '../../domain/ports/webhook-connector.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import { closedObject, refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { principalOf } from '../server/reach.ts';
import { findLiveWebhook } from './find-webhook.ts';

interface ConnectionRouteParts {
  inventory: InventoryReader;
  connector: WebhookConnector;
}

interface PlanBody {
  provider: ConnectProvider;
  target: string;
  token: string;
  api_url?: string;
  send_secret?: boolean;
}

interface ApplyBody extends PlanBody {
  digest: string;
}

const tags = ['Webhooks'];
const access = requireRole('manager', 'factory');

const orderProperties: Record<string, JsonSchema> = {
  provider: { type: 'string', enum: [...CONNECT_PROVIDERS], description: 'The provider that posts to the webhook.' },
  target: {
    type: 'string',
    minLength: 1,
    maxLength: 1000,
    description:
      'GitHub: `ORG` or `ORG/REPO`. GitLab: the path of a project or a group. Linear: the key of a team, or `all` for all public teams.',
  },
  token: {
    type: 'string',
    minLength: 1,
    maxLength: 4000,
    pattern: '^[\\x21-\\x7e]+$',
    description: 'Token of the provider. Used for this request only: never stored, logged or returned.',
  },
  api_url: {
    type: 'string',
    maxLength: 1000,
    description:
      'Base URL of the API, if it is not the public one of the provider. Needs the role `owner`, because the signing secret is sent to it.',
  },
  send_secret: {
    type: 'boolean',
    default: false,
    description: 'Send the secret even if nothing else differs, for example after a rotation.',
  },
};

const required = ['provider', 'target', 'token'];
const planSchema = { ...closedObject(orderProperties), required };
const digest: JsonSchema = {
  type: 'string',
  pattern: '^[0-9a-f]{64}$',
  description: 'The `digest` of the confirmed difference.',
};
const applySchema = { ...closedObject({ ...orderProperties, digest }), required: [...required, 'digest'] };

/** The webhook at the provider that posts to a webhook: the difference from what the factory needs, and its removal. */
export function registerConnectionRoutes(app: FastifyInstance, { inventory, connector }: ConnectionRouteParts): void {
  app.post<{ Body: PlanBody }>(
    '/factories/:factory/webhooks/:uid/connection/plan',
    {
      config: { access, changes: false },
      schema: {
        tags,
        summary: 'Compare a webhook with its provider',
        description:
          'The daemon asks the API of the provider for the webhook that posts to this one, and compares it with what the enabled automations of the factory need. It changes nothing.',
        body: planSchema,
        response: { 200: refTo('ConnectionPlan'), 409: refTo('Problem'), 502: refTo('Problem') },
      },
    },
    async (request) => {
      const webhook = await findLiveWebhook(inventory, request);
      return presentPlan(await connector.plan(webhook, readOrder(request, request.body)));
    },
  );

  app.post<{ Body: ApplyBody }>(
    '/factories/:factory/webhooks/:uid/connection',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Create or change a webhook at its provider',
        description:
          'Makes exactly the difference that `digest` names, and answers 412 if it is another one now. The daemon sends the provider the secret that the webhook checks at the moment. Repeating the request is safe: if nothing differs, nothing is changed.',
        body: applySchema,
        response: { 200: refTo('ConnectionPlan'), 409: refTo('Problem'), 412: refTo('Problem'), 502: refTo('Problem') },
      },
    },
    async (request) => {
      const webhook = await findLiveWebhook(inventory, request);
      const plan = await connector.apply(webhook, readOrder(request, request.body), request.body.digest);
      request.auditResult = describeChange(plan);
      return presentPlan(plan);
    },
  );
}

function readOrder(request: FastifyRequest, body: PlanBody): ConnectOrder {
  const { provider, target, token, api_url: apiUrl = null, send_secret: sendSecret = false } = body;
  if (apiUrl !== null) requireOwner(request);
  return { provider, target, token: new SecretValue(token), apiUrl, sendSecret };
}

/** Who chooses the receiver of a secret can read it. Only owners of the whole team may. */
function requireOwner(request: FastifyRequest): void {
  const { role, factories } = principalOf(request);
  if (role === 'owner' && factories === null) return;
  throw new AppError(
    'forbidden',
    'Another URL of the API needs the role owner for all factories, because the signing secret is sent to it.',
  );
}

function describeChange({ provider, target, apiUrl, action, hook, fields, secret }: ConnectionPlan): JsonObject {
  const changed = fields.filter(({ state }) => state === 'change' || state === 'send').map(({ field }) => field);
  const sent = changed.includes('secret') ? `${secret.name}, version ${secret.version}` : null;
  return { provider, target, api_url: apiUrl, action, hook, changed, secret_sent: sent };
}

function presentPlan({ apiUrl, inSync, neededBy, ...plan }: ConnectionPlan) {
  return { ...plan, api_url: apiUrl, in_sync: inSync, needed_by: neededBy };
}
