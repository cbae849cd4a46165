import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/errors.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import type { JsonSchema } from '../../domain/json.ts';
import type { WebhookView } from '../../domain/ports/inventory.ts';
import { readDeclared, readRequest, requestProperties } from '../../domain/resources/fields.ts';
import { WEBHOOK_FIELDS } from '../../domain/resources/webhook.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import { tagWebhook } from '../../reconcile/edit/entity-tag.ts';
import type { FactoryEditor } from '../../reconcile/edit/factory-editor.ts';
import type { NewWebhook } from '../../reconcile/edit/webhook-edits.ts';
import { readEditOrder } from '../factories/edit-order.ts';
import {
  type Advice,
  EDIT_ANSWERS,
  type EditGuardParts,
  inFactory,
  rejectRepositoryEdits,
} from '../factories/reject-repository-edits.ts';
import { closedObject, refTo } from '../openapi/schemas.ts';
import { MAX_SECRET_CHARACTERS } from '../secrets/secret-routes.ts';
import { requireRole } from '../server/access-rules.ts';
import { locate } from '../server/locate.ts';
import { factoryOf } from '../server/reach.ts';
import { findLiveWebhook } from './find-webhook.ts';
import { presentWebhook, type WebhookSurroundings } from './present-webhook.ts';

interface WebhookEditRouteParts extends EditGuardParts {
  editor: FactoryEditor;
  surroundings: WebhookSurroundings;
}

const tags = ['Webhooks'];
const access = requireRole('manager', 'factory');

const secretValue: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: MAX_SECRET_CHARACTERS,
  description: 'As the provider issued it. Never returned.',
};

/** Edits of webhooks, for factories that the service hosts. */
export function registerWebhookEditRoutes(app: FastifyInstance, parts: WebhookEditRouteParts): void {
  registerCreation(app, parts);
  registerChange(app, parts);
  registerDeletion(app, parts);
  registerRotation(app, parts);
  registerSecretStep(app, parts);
}

/** Keys are named as the API names the fields of a webhook. */
interface ChangeBody {
  readonly [name: string]: unknown;
}

interface CreationBody extends ChangeBody {
  name: string;
  secret?: string;
}

const creationSchema = {
  ...closedObject({ ...requestProperties(WEBHOOK_FIELDS, 'create'), secret: secretValue }),
  required: ['name'],
};

function registerCreation(app: FastifyInstance, parts: WebhookEditRouteParts): void {
  app.post<{ Body: CreationBody }>(
    '/factories/:factory/webhooks',
    {
      config: { access, idempotent: true, tagged: true },
      schema: {
        tags,
        summary: 'Create a webhook',
        description: `A generated secret is in \`secret\` of this response only. For \`url_token\`, the URL of this response contains it too. If the provider issues the secret later, the webhook is created disabled. Store the secret in a second step. ${REJECTED}`,
        body: creationSchema,
        response: { 201: refTo('NewWebhook'), ...EDIT_ANSWERS },
      },
      onRequest: rejectRepositoryEdits(parts, adviseCreation),
    },
    async (request, reply) => {
      const generated = await parts.editor.createWebhook(readEditOrder(request), readCreation(request.body));
      const created = await findByName(parts, request, request.body.name);
      const { factory, uid } = created;
      const located = reply.code(201).header('location', locate('factories', factory, 'webhooks', uid));
      return answer(parts, located, created, generated);
    },
  );
}

const REJECTED = 'Rejected with 409 if a repository decides; the response names the file to edit.';

function readCreation({ secret, ...body }: CreationBody): NewWebhook {
  const { name, secretName = null, ...declared } = readRequest(WEBHOOK_FIELDS, 'create', body);
  return {
    ...readDeclared(WEBHOOK_FIELDS, declared),
    name: name!,
    secretName,
    secret: secret === undefined ? null : new SecretValue(secret),
  };
}

const adviseCreation: Advice = async (parts, request) =>
  `Add the file ${inFactory(parts, request, 'webhooks/<name>.yaml')}`;

const changeSchema = {
  ...closedObject(requestProperties(WEBHOOK_FIELDS, 'change')),
  required: [],
  minProperties: 1,
};

function registerChange(app: FastifyInstance, parts: WebhookEditRouteParts): void {
  app.patch<{ Body: ChangeBody; Params: { uid: string } }>(
    '/factories/:factory/webhooks/:uid',
    {
      config: { access, tagged: true },
      schema: {
        tags,
        summary: 'Change a webhook',
        description: `Only the given keys change. The changed webhook uses the newest value of its secret. ${REJECTED}`,
        body: changeSchema,
        response: { 200: refTo('Webhook'), ...EDIT_ANSWERS },
      },
      onRequest: rejectRepositoryEdits(parts, async ({ inventory }, request) => {
        return `Edit the file ${(await findLiveWebhook(inventory, request)).file}`;
      }),
    },
    async (request, reply) => {
      const { uid } = await findLiveWebhook(parts.inventory, request);
      await parts.editor.changeWebhook(
        readEditOrder(request),
        uid,
        readRequest(WEBHOOK_FIELDS, 'change', request.body),
      );
      return answer(parts, reply, await findByUid(parts, uid), null);
    },
  );
}

function registerDeletion(app: FastifyInstance, parts: WebhookEditRouteParts): void {
  app.delete<{ Params: { uid: string } }>(
    '/factories/:factory/webhooks/:uid',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Delete a webhook',
        description: `Senders get 404 immediately. Automations that select it stay and get a warning; its secret is kept. ${REJECTED}`,
        response: { 204: { type: 'null', description: 'Deleted.' }, ...EDIT_ANSWERS },
      },
      onRequest: rejectRepositoryEdits(parts, async ({ inventory }, request) => {
        return `Delete the file ${(await findLiveWebhook(inventory, request)).file}`;
      }),
    },
    async (request, reply) => {
      const { uid } = await findLiveWebhook(parts.inventory, request);
      await parts.editor.deleteWebhook(readEditOrder(request), uid);
      return reply.code(204).send();
    },
  );
}

const rotationSchema = { ...closedObject({ secret: secretValue }, { type: ['object', 'null'] }), required: [] };

function registerRotation(app: FastifyInstance, parts: WebhookEditRouteParts): void {
  app.post<{ Body: { secret?: string } | null | undefined; Params: { uid: string } }>(
    '/factories/:factory/webhooks/:uid/rotate',
    {
      config: { access, idempotent: true, tagged: true },
      schema: {
        tags,
        summary: 'Rotate the secret of a webhook',
        description: `The old secret stops working immediately. A generated one is in \`secret\`, only in this response. For live factories; for others, update the team secret, as the response (409) explains.`,
        body: rotationSchema,
        response: { 200: refTo('NewWebhook'), ...EDIT_ANSWERS },
      },
      onRequest: rejectRepositoryEdits(parts, adviseSecretUpdate),
    },
    async (request, reply) => {
      const { uid } = await findLiveWebhook(parts.inventory, request);
      const given = request.body?.secret === undefined ? null : new SecretValue(request.body.secret);
      const generated = await parts.editor.rotateSecret(readEditOrder(request), uid, given);
      return answer(parts, reply, await findByUid(parts, uid), generated);
    },
  );
}

function registerSecretStep(app: FastifyInstance, parts: WebhookEditRouteParts): void {
  app.post<{ Body: { secret: string }; Params: { uid: string } }>(
    '/factories/:factory/webhooks/:uid/secret',
    {
      config: { access, tagged: true },
      schema: {
        tags,
        summary: 'Give a webhook its provider’s secret',
        description: `The second step for a provider that issues its secret once it has the URL: stores it and enables the webhook. ${REJECTED}`,
        body: closedObject({ secret: secretValue }),
        response: { 200: refTo('Webhook'), ...EDIT_ANSWERS },
      },
      onRequest: rejectRepositoryEdits(parts, adviseSecretUpdate),
    },
    async (request, reply) => {
      const { uid } = await findLiveWebhook(parts.inventory, request);
      await parts.editor.giveSecret(readEditOrder(request), uid, new SecretValue(request.body.secret));
      return answer(parts, reply, await findByUid(parts, uid), null);
    },
  );
}

const adviseSecretUpdate: Advice = async ({ inventory }, request) => {
  const { secretName } = await findLiveWebhook(inventory, request);
  return `Update the secret with "dockbell secret update ${secretName}"; it takes effect with the next commit that applies`;
};

async function findByName(parts: WebhookEditRouteParts, request: FastifyRequest, wanted: string): Promise<WebhookView> {
  const webhooks = await parts.inventory.webhooks(factoryOf(request).name);
  const found = webhooks.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  throw new AppError('conflict', `The webhook ${wanted} was created, and deleted or renamed by somebody else since.`);
}

async function findByUid({ inventory }: EditGuardParts, uid: WebhookUid): Promise<WebhookView> {
  const found = await inventory.webhook(uid);
  if (found !== null && found.deletedAt === null) return found;
  throw new AppError('conflict', `The webhook ${uid} was changed, and deleted by somebody else since.`);
}

/** The generated secret is in the answer, and in the URL that is made of it, this once. */
async function answer(
  { surroundings }: WebhookEditRouteParts,
  reply: FastifyReply,
  webhook: WebhookView,
  generated: SecretValue | null,
): Promise<FastifyReply> {
  const presented = presentWebhook(webhook, await surroundings.countRequests(webhook.factory), surroundings);
  void reply.header('etag', tagWebhook(webhook));
  if (generated === null) return reply.send(presented);
  const secret = generated.reveal();
  // A function: a replacement text would give `$` a meaning.
  return reply.send({ ...presented, ingress_url: presented.ingress_url.replace('{token}', () => secret), secret });
}
