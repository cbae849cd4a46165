import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/errors.ts';
import type { ReplayId } from '../../domain/ids.ts';
import type { DeliveryReader } from '../../domain/ports/delivery-log.ts';
import type { InventoryReader } from '../../domain/ports/inventory.ts';
import type { ReplayControl, Replays } from '../../domain/ports/replays.ts';
import {
  DEFAULT_REPLAY_RATE,
  MAX_OPEN_REPLAYS,
  MAX_REPLAY_RATE,
  REPLAY_STATES,
  type Replay,
  type ReplayState,
} from '../../domain/resources/replay.ts';
import { listOf, noBody, refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { locate } from '../server/locate.ts';
import { CURSOR, type PageQuery, pageQuerySchema, presentPage, querySchema, readPage } from '../server/page-query.ts';
import { actorOf, factoryOf, requireReached } from '../server/reach.ts';
import { presentPreview, presentReplay } from './present-replay.ts';
import { type ReplayFilters, readSelection, replayFilterProperties } from './replay-selection.ts';

interface ReplayRouteParts {
  inventory: Pick<InventoryReader, 'webhook'>;
  deliveries: Pick<DeliveryReader, 'get'>;
  replays: Pick<Replays, 'get' | 'list'>;
  control: Pick<ReplayControl, 'create' | 'preview' | 'cancel'>;
}

const tags = ['Replays'];

const rate = {
  type: 'integer',
  minimum: 1,
  maximum: MAX_REPLAY_RATE,
  default: DEFAULT_REPLAY_RATE,
  description: 'Maximum number of deliveries that are replayed in a second.',
};

/** Replays of many stored deliveries, which continue in the background. */
export function replaysPlugin(app: FastifyInstance, parts: ReplayRouteParts): void {
  registerPreview(app, parts);
  registerCreate(app, parts);
  registerReads(app, parts);
  registerCancel(app, parts);
}

function registerPreview(app: FastifyInstance, parts: ReplayRouteParts): void {
  app.get<{ Querystring: ReplayFilters & { cursor?: string } }>(
    '/factories/:factory/replays/preview',
    {
      config: { access: requireRole('operator', 'factory') },
      schema: {
        tags,
        summary: 'Show what a replay would start',
        description:
          'A dry run: evaluates stored deliveries as the replay would, and stores nothing. An answer covers a part of the deliveries, the oldest first. Repeat the request with `next_cursor` until that is `null`, and add the numbers.',
        querystring: querySchema({ cursor: CURSOR, ...replayFilterProperties }),
        response: { 200: refTo('ReplayPreview'), 404: refTo('Problem'), 409: refTo('Problem') },
      },
    },
    async (request) => {
      const { cursor = null, ...filters } = request.query;
      return presentPreview(await parts.control.preview(await readSelection(parts, request, filters), cursor));
    },
  );
}

function registerCreate(app: FastifyInstance, parts: ReplayRouteParts): void {
  app.post<{ Body: (ReplayFilters & { rate?: number }) | null }>(
    '/factories/:factory/replays',
    {
      config: { access: requireRole('operator', 'factory'), idempotent: true, changes: 'stored' },
      schema: {
        tags,
        summary: 'Replay stored deliveries',
        description: `Replays one delivery, or all accepted deliveries that match, the oldest first: each is stored as a new delivery with \`replay_of\`, and starts runs again. A replay replays each delivery once, also if the daemon is killed and restarted. Deliveries that arrive after the request, and replays, are not part of it. Returns 409 if the delivery has no payload, or if ${MAX_OPEN_REPLAYS} replays of the factory are not finished.`,
        body: { ...querySchema({ ...replayFilterProperties, rate }), type: ['object', 'null'] },
        response: { 201: refTo('Replay'), 404: refTo('Problem'), 409: refTo('Problem') },
      },
    },
    async (request, reply) => {
      const { rate: perSecond = DEFAULT_REPLAY_RATE, ...filters } = request.body ?? {};
      const selection = await readSelection(parts, request, filters);
      const replay = await parts.control.create({
        ...selection,
        rate: perSecond,
        requestedBy: actorOf(request),
        clientAddress: request.ip,
      });
      if (replay === null) {
        const why = `${MAX_OPEN_REPLAYS} replays of this factory are not finished. Wait for one, or cancel one.`;
        throw new AppError('conflict', why);
      }
      request.auditResult = { deliveries: replay.total };
      return reply.code(201).header('location', locate('replays', replay.id)).send(presentReplay(replay));
    },
  );
}

function registerReads(app: FastifyInstance, parts: ReplayRouteParts): void {
  app.get<{ Querystring: PageQuery & { state?: ReplayState } }>(
    '/factories/:factory/replays',
    {
      config: { access: requireRole('viewer', 'factory') },
      schema: {
        tags,
        summary: 'List replays, newest first',
        querystring: pageQuerySchema({ state: { type: 'string', enum: [...REPLAY_STATES] } }),
        response: { 200: listOf('Replay') },
      },
    },
    async (request) => {
      const { state } = request.query;
      const page = await parts.replays.list({ ...readPage(request.query), factory: factoryOf(request).name, state });
      return presentPage(page, presentReplay);
    },
  );
  app.get<{ Params: { id: string } }>(
    '/replays/:id',
    {
      config: { access: requireRole('viewer', 'object') },
      schema: { tags, summary: 'Show a replay and its progress', response: { 200: refTo('Replay') } },
    },
    async (request) => presentReplay(await findReplay(parts, request)),
  );
}

function registerCancel(app: FastifyInstance, parts: ReplayRouteParts): void {
  app.post<{ Params: { id: string } }>(
    '/replays/:id/cancel',
    {
      config: { access: requireRole('operator', 'object') },
      schema: {
        tags,
        summary: 'Cancel a replay',
        description:
          'No further delivery is replayed. Runs that it has started continue. A replay that has ended returns 409.',
        body: noBody,
        response: { 200: refTo('Replay'), 409: refTo('Problem') },
      },
    },
    async (request) => {
      const { id } = await findReplay(parts, request);
      const isCancelled = await parts.control.cancel(id);
      const replay = await findReplay(parts, request);
      if (!isCancelled) throw new AppError('conflict', `The replay is ${replay.state} and cannot be cancelled.`);
      return presentReplay(replay);
    },
  );
}

async function findReplay(
  { replays }: ReplayRouteParts,
  request: FastifyRequest<{ Params: { id: string } }>,
): Promise<Replay> {
  return requireReached(request, 'replay', await replays.get(request.params.id as ReplayId));
}
