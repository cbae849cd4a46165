import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { InventoryReader } from '../../domain/ports/inventory.ts';
import type { PauseControl } from '../../domain/ports/pauses.ts';
import { listOf, refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { actorOf, factoryOf, requireReached } from '../server/reach.ts';
import { presentPause } from './present-pause.ts';

interface PauseRouteParts {
  pauses: PauseControl;
  inventory: Pick<InventoryReader, 'automation'>;
}

interface PauseRequest {
  Params: { name: string };
  Body: { reason?: string };
}

/** A sentence for everybody who asks why nothing runs. */
const MAX_REASON = 500;

const tags = ['Operation'];
const operate = { access: requireRole('operator', 'factory') };
const pauseBody = {
  type: 'object',
  additionalProperties: false,
  properties: { reason: { type: 'string', minLength: 1, maxLength: MAX_REASON, description: 'Shown with the pause.' } },
};

/** `GET`, `POST` and `DELETE` of pauses: no run of a factory or of an automation starts. */
export function registerPauseRoutes(app: FastifyInstance, parts: PauseRouteParts): void {
  registerFactoryPauses(app, parts);
  registerAutomationPauses(app, parts);
}

/** @param automation its name; `''` for the whole factory */
async function pause(
  request: FastifyRequest<Pick<PauseRequest, 'Body'>>,
  pauses: PauseControl,
  automation: string,
): Promise<ReturnType<typeof presentPause>> {
  const { reason = null } = request.body;
  return presentPause(await pauses.pause({ factory: factoryOf(request).name, automation, reason }, actorOf(request)));
}

function registerFactoryPauses(app: FastifyInstance, { pauses }: PauseRouteParts): void {
  app.get(
    '/factories/:factory/pauses',
    {
      config: { access: requireRole('viewer', 'factory') },
      schema: { tags, summary: 'List what is paused in a factory', response: { 200: listOf('Pause') } },
    },
    async (request) => {
      const { name } = factoryOf(request);
      const data = pauses.list().filter(({ factory }) => factory === name);
      return { data: data.map(presentPause), next_cursor: null };
    },
  );

  app.post<Pick<PauseRequest, 'Body'>>(
    '/factories/:factory/pause',
    {
      config: { ...operate, changes: 'stored' },
      schema: {
        tags,
        summary: 'Pause a factory: none of its runs starts',
        description:
          'Deliveries are accepted, and their runs wait. Runs that were started continue. The pause outlives a restart, and ends with `DELETE`. A second pause replaces the first one.',
        body: pauseBody,
        response: { 200: refTo('Pause') },
      },
    },
    async (request) => pause(request, pauses, ''),
  );

  app.delete(
    '/factories/:factory/pause',
    {
      config: { ...operate, changes: 'stored' },
      schema: {
        tags,
        summary: 'Resume a factory',
        description:
          'Automations that were paused one by one stay paused. Changes nothing if the factory is not paused.',
        response: { 204: { type: 'null', description: 'Runs start again.' } },
      },
    },
    async (request, reply) => {
      await pauses.resume({ factory: factoryOf(request).name, automation: '' });
      return reply.code(204).send();
    },
  );
}

function registerAutomationPauses(app: FastifyInstance, { pauses, inventory }: PauseRouteParts): void {
  app.post<PauseRequest>(
    '/factories/:factory/automations/:name/pause',
    {
      config: { ...operate, changes: 'stored' },
      schema: {
        tags,
        summary: 'Pause an automation: none of its runs starts',
        description:
          'Deliveries are accepted, and its runs wait. Runs that were started continue. The pause outlives a restart, and ends with `DELETE`.',
        body: pauseBody,
        response: { 200: refTo('Pause') },
      },
    },
    async (request) => {
      const { name } = request.params;
      requireReached(request, 'automation', await inventory.automation(factoryOf(request).name, name));
      return pause(request, pauses, name);
    },
  );

  app.delete<Pick<PauseRequest, 'Params'>>(
    '/factories/:factory/automations/:name/pause',
    {
      config: { ...operate, changes: 'stored' },
      schema: {
        tags,
        summary: 'Resume an automation',
        description: 'Works for a deleted automation, too. Changes nothing if it is not paused.',
        response: { 204: { type: 'null', description: 'Runs start again.' } },
      },
    },
    async (request, reply) => {
      await pauses.resume({ factory: factoryOf(request).name, automation: request.params.name });
      return reply.code(204).send();
    },
  );
}
