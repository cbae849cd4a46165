import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/errors.ts';
import type { DeliveryId } from '../../domain/ids.ts';
import type { JsonSchema } from '../../domain/json.ts';
import type { DiagnoseDelivery } from '../../domain/ports/delivery-control.ts';
import {
  type DeliveryPage,
  type DeliveryReader,
  type HandshakeLog,
  MAX_EXAMINED_BYTES,
  MAX_EXAMINED_DELIVERIES,
} from '../../domain/ports/delivery-log.ts';
import type { InventoryReader } from '../../domain/ports/inventory.ts';
import type { ReplayControl } from '../../domain/ports/replays.ts';
import { DELIVERY_LABELS, type Delivery, type DeliveryLabel } from '../../domain/resources/delivery.ts';
import { describeLabel } from '../../domain/words/deliveries.ts';
import type { Inspector } from '../../reconcile/inspection/create-inspector.ts';
import { listOf, refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { INSTANT, parseInstant, presentInstant } from '../server/instants.ts';
import { locate } from '../server/locate.ts';
import { type PageQuery, pageQuerySchema, presentPage, readPage } from '../server/page-query.ts';
import { factoryOf, requireReached } from '../server/reach.ts';
import { BODY_RESPONSE, sendForm, sendPayload } from '../server/send-payload.ts';
import { findWebhook } from '../webhooks/find-webhook.ts';
import { explainDelivery } from './explain-delivery.ts';
import { presentDelivery, presentExplanation, presentHandshake } from './present-delivery.ts';

interface DeliveryRouteParts {
  inventory: InventoryReader;
  deliveries: DeliveryReader;
  inspector: Pick<Inspector, 'decideListeners'>;
  handshakes: Pick<HandshakeLog, 'list'>;
  replays: ReplayControl;
  /** Why a delivery was rejected, tried on what a capture window kept of it, or concluded from its reason. */
  diagnose: DiagnoseDelivery;
}

const tags = ['Deliveries'];

interface DeliveryQuery extends PageQuery {
  label?: DeliveryLabel;
  delivery_id?: string;
  from?: string;
  to?: string;
  after?: string;
  order?: 'newest_first' | 'oldest_first';
  event?: string;
  unmatched?: boolean;
  search?: string;
}

const bodyQuery = {
  type: 'object',
  properties: {
    exact: {
      type: 'boolean',
      default: false,
      description: 'The exact bytes received. They differ from the payload only if the body was a form.',
    },
  },
  additionalProperties: false,
};

const deliveryQuery = pageQuerySchema({
  label: { type: 'string', enum: [...DELIVERY_LABELS] },
  delivery_id: {
    type: 'string',
    minLength: 1,
    maxLength: 1024,
    description: 'The delivery ID of the sender, exactly.',
  },
  from: { ...INSTANT, description: 'Received at this time or later.' },
  to: { ...INSTANT, description: 'Received before this time.' },
  after: {
    type: 'string',
    pattern: '^dlv_[0-9a-hjkmnp-tv-z]{26}$',
    description:
      'Only deliveries logged after the one with this ID. With `order=oldest_first`, a client that passes the last ID it has read gets each delivery once. 404 if the ID is not in the log any more.',
  },
  order: {
    type: 'string',
    enum: ['newest_first', 'oldest_first'],
    default: 'newest_first',
    description: '`oldest_first` cannot be combined with `delivery_id`, `event`, `unmatched` and `search`.',
  },
  event: {
    type: 'string',
    minLength: 1,
    maxLength: 201,
    description: 'Only accepted deliveries with this event name. `pull_request` also finds `pull_request.opened`.',
  },
  unmatched: { type: 'boolean', description: 'Only accepted deliveries that started no run.' },
  search: {
    type: 'string',
    minLength: 1,
    maxLength: 200,
    description:
      'Only accepted deliveries whose stored payload, or a recorded request header as `name: value`, contains exactly this text.',
  },
});

const EXAMINED = `With \`search\`, \`event\` or \`unmatched\`, a page examines at most ${MAX_EXAMINED_DELIVERIES} deliveries and ${MAX_EXAMINED_BYTES / 1_048_576} MiB of payloads and headers. It can have fewer deliveries than \`limit\`, or none, although \`next_cursor\` is not \`null\`.`;

const list = listOf('Delivery');

const deliveryList: JsonSchema = {
  ...list,
  properties: {
    ...(list.properties as Record<string, JsonSchema>),
    examined_to: {
      type: ['string', 'null'],
      format: 'date-time',
      description:
        'Only with `search`, `event` or `unmatched`: when the oldest delivery that this page examined was received. `null` if the page examined all remaining deliveries.',
    },
  },
};

function presentDeliveryPage(page: DeliveryPage) {
  const { examinedTo } = page;
  const examined = examinedTo === undefined ? {} : { examined_to: presentInstant(examinedTo) };
  return { ...presentPage(page, presentDelivery), ...examined };
}

function readSearch({ label, delivery_id, from, to, after, order, event, unmatched, search, ...page }: DeliveryQuery) {
  const isOldestFirst = order === 'oldest_first';
  if (isOldestFirst && (delivery_id ?? event ?? unmatched ?? search) !== undefined) {
    const message = 'order=oldest_first cannot be combined with delivery_id, event, unmatched and search.';
    throw new AppError('bad_request', message);
  }
  return {
    ...readPage(page),
    label: label ?? null,
    identity: delivery_id,
    fromAt: from === undefined ? undefined : parseInstant(from, 'from'),
    untilAt: to === undefined ? undefined : parseInstant(to, 'to'),
    after: after as DeliveryId | undefined,
    isOldestFirst,
    event,
    isUnmatched: unmatched,
    text: search,
  };
}

type ForDelivery = { Params: { id: string } };

/** The delivery log: who sent what, its outcome and the reason. */
export function deliveriesPlugin(app: FastifyInstance, parts: DeliveryRouteParts): void {
  registerLists(app, parts);
  registerDelivery(app, parts);
  registerReplay(app, parts);
  registerExplanation(app, parts);
}

/** Throws `not_found` for a delivery that the token does not reach. */
async function findDelivery(
  request: FastifyRequest<ForDelivery>,
  { deliveries }: Pick<DeliveryRouteParts, 'deliveries'>,
): Promise<Delivery> {
  return requireReached(request, 'delivery', await deliveries.get(request.params.id as DeliveryId));
}

/** The deliveries of a factory and of a webhook, and the handshakes of a webhook. */
function registerLists(app: FastifyInstance, parts: DeliveryRouteParts): void {
  app.get<{ Querystring: DeliveryQuery }>(
    '/factories/:factory/deliveries',
    {
      config: { access: requireRole('viewer', 'factory') },
      schema: {
        tags,
        summary: 'List the deliveries of a factory, newest first by default',
        description: `Deliveries of all its webhooks, including deleted ones. ${EXAMINED}`,
        querystring: deliveryQuery,
        response: { 200: deliveryList, 404: refTo('Problem') },
      },
    },
    async (request) => {
      const wanted = { ...readSearch(request.query), factory: factoryOf(request).name };
      return presentDeliveryPage(await parts.deliveries.list(wanted));
    },
  );

  app.get<{ Querystring: DeliveryQuery }>(
    '/factories/:factory/webhooks/:uid/deliveries',
    {
      config: { access: requireRole('viewer', 'factory') },
      schema: {
        tags,
        summary: 'List the deliveries of a webhook, newest first by default',
        description: EXAMINED,
        querystring: deliveryQuery,
        response: { 200: deliveryList, 404: refTo('Problem') },
      },
    },
    async (request) => {
      const { uid } = await findWebhook(parts.inventory, request);
      const wanted = { ...readSearch(request.query), webhookUid: uid };
      return presentDeliveryPage(await parts.deliveries.list(wanted));
    },
  );

  app.get<{ Querystring: PageQuery }>(
    '/factories/:factory/webhooks/:uid/handshakes',
    {
      config: { access: requireRole('viewer', 'factory') },
      schema: {
        tags,
        summary: 'List the handshakes of a webhook, newest first',
        description:
          'Requests that a provider sent to verify the URL. A handshake is not a delivery: it has no label and starts nothing.',
        querystring: pageQuerySchema(),
        response: { 200: listOf('Handshake') },
      },
    },
    async (request) => {
      const { uid } = await findWebhook(parts.inventory, request);
      const page = await parts.handshakes.list({ ...readPage(request.query), webhookUid: uid });
      return presentPage(page, presentHandshake);
    },
  );
}

/** One delivery, its body, and what is wrong with it. */
function registerDelivery(app: FastifyInstance, parts: DeliveryRouteParts): void {
  const access = requireRole('viewer', 'object');

  app.get<ForDelivery>(
    '/deliveries/:id',
    { config: { access }, schema: { tags, summary: 'Show a delivery', response: { 200: refTo('Delivery') } } },
    async (request) => presentDelivery(await findDelivery(request, parts)),
  );

  app.get<ForDelivery & { Querystring: { exact: boolean } }>(
    '/deliveries/:id/payload',
    {
      config: { access, discloses: true },
      schema: {
        tags,
        summary: 'Download the body of an accepted delivery',
        querystring: bodyQuery,
        response: { 200: BODY_RESPONSE },
      },
    },
    async (request, reply) => {
      const { id, label } = await findDelivery(request, parts);
      const form = request.query.exact ? await parts.deliveries.form(id) : null;
      if (form !== null) return sendForm(reply, `${id}.form`, form);
      const payload = await parts.deliveries.payload(id);
      if (payload === null)
        throw new AppError('not_found', `No payload is stored for this delivery. ${describeLabel(label)}`);
      return sendPayload(reply, `${id}.json`, payload);
    },
  );

  app.get<ForDelivery>(
    '/deliveries/:id/diagnosis',
    {
      config: { access: requireRole('operator', 'object') },
      schema: {
        tags,
        summary: 'Find the common mistake behind a rejected delivery',
        description: 'Tested on the request if a capture window stored it; otherwise concluded from the reason.',
        response: { 200: refTo('Diagnosis'), 409: refTo('Problem') },
      },
    },
    async (request) => {
      const { mistake, sentence, tried } = await parts.diagnose(await findDelivery(request, parts));
      return { mistake, sentence, tried };
    },
  );
}

const replaySchema: JsonSchema = {
  type: ['object', 'null'],
  additionalProperties: false,
  properties: {
    automation: { type: ['string', 'null'], minLength: 1, description: 'Only this automation; `null` for all.' },
  },
};

function registerReplay(app: FastifyInstance, parts: DeliveryRouteParts): void {
  app.post<ForDelivery & { Body?: { automation?: string | null } | null }>(
    '/deliveries/:id/replay',
    {
      config: { access: requireRole('operator', 'object'), idempotent: true },
      schema: {
        tags,
        summary: 'Evaluate the payload of an accepted delivery again with the live automations',
        description:
          'Creates a new delivery with `replay_of` and starts runs again. Redeliveries from the sender are still duplicates of the original. Returns 409 if no payload is stored, or if the webhook is disabled or deleted.',
        body: replaySchema,
        response: { 201: refTo('Delivery'), 409: refTo('Problem') },
      },
    },
    async (request, reply) => {
      const delivery = await findDelivery(request, parts);
      const automation = request.body?.automation ?? null;
      const replayed = await parts.replays.replay({ delivery, automation, clientAddress: request.ip });
      if (replayed.outcome === 'rejected') throw new AppError('conflict', replayed.why);
      const made = await parts.deliveries.get(replayed.id);
      const replay = requireReached(request, 'delivery', made);
      return reply.code(201).header('location', locate('deliveries', replay.id)).send(presentDelivery(replay));
    },
  );
}

/** Number of decisions on a page, and the default: few webhooks have more automations. */
const MAX_DECISIONS = 200;

const explanationQuery = pageQuerySchema({
  limit: { type: 'integer', minimum: 1, maximum: MAX_DECISIONS, default: MAX_DECISIONS },
});

function registerExplanation(app: FastifyInstance, parts: DeliveryRouteParts): void {
  app.get<ForDelivery & { Querystring: PageQuery }>(
    '/deliveries/:id/explain',
    {
      config: { access: requireRole('viewer', 'object') },
      schema: {
        tags,
        summary: 'Explain why each automation started or did not',
        description:
          'Evaluated with the definitions that were live when the delivery arrived. The first page has every automation that started.',
        querystring: explanationQuery,
        response: { 200: refTo('Explanation') },
      },
    },
    async (request) => {
      const delivery = await findDelivery(request, parts);
      const { limit = MAX_DECISIONS, cursor = null } = request.query;
      return presentExplanation(await explainDelivery(parts, delivery, { limit, cursor }));
    },
  );
}
