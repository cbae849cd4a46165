import type { FastifyInstance } from 'fastify';
import type { InventoryReader } from '../../domain/ports/inventory.ts';
import type { PauseControl } from '../../domain/ports/pauses.ts';
import type { Revision } from '../../domain/ports/sources.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { tagRevision } from '../../reconcile/edit/entity-tag.ts';
import type { FactoryEditor } from '../../reconcile/edit/factory-editor.ts';
import { closedObject, listOf, refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { type PageQuery, pageQuerySchema, presentPage, readPage } from '../server/page-query.ts';
import { factoryOf } from '../server/reach.ts';
import { readEditOrder } from './edit-order.ts';
import type { FindSource } from './factory-source.ts';
import { findFactory } from './find-factory.ts';
import { presentFactory } from './present-factory.ts';
import { findPause } from './present-pause.ts';
import { type FactoryHealthParts, readFactoryHealth } from './read-factory-health.ts';
import { EDIT_ANSWERS, rejectRepositoryEdits } from './reject-repository-edits.ts';

const tags = ['Factories'];

interface HistoryRouteParts {
  inventory: InventoryReader;
  editor: Pick<FactoryEditor, 'history' | 'revert'>;
  findSource: FindSource;
  health: FactoryHealthParts;
  pauses: PauseControl;
}

/** What was done to a managed factory, and the way back. */
export function registerHistoryRoutes(app: FastifyInstance, parts: HistoryRouteParts): void {
  app.get<{ Querystring: PageQuery }>(
    '/factories/:factory/history',
    {
      config: { access: requireRole('viewer', 'factory') },
      schema: {
        tags,
        summary: 'List the revisions of a managed factory, newest first',
        description: 'For other factories, the response is 409.',
        querystring: pageQuerySchema(),
        response: { 200: listOf('Revision'), 409: refTo('Problem'), 502: refTo('Problem') },
      },
    },
    async (request) =>
      presentPage(await parts.editor.history(factoryOf(request).name, readPage(request.query)), presentRevision),
  );

  app.post<{ Body: { revision: string } }>(
    '/factories/:factory/reverts',
    {
      config: { access: requireRole('manager', 'factory'), tagged: true },
      schema: {
        tags,
        summary: 'Revert a managed factory to an earlier revision',
        description:
          'Restores the definition as a new revision. It is validated like every other edit. Restored webhooks keep their earlier UIDs. Secrets do not change. `If-Match` takes the `ETag` of the factory.',
        body: closedObject({ revision: { type: 'string', pattern: '^[0-9a-f]{40}([0-9a-f]{24})?$' } }),
        response: { 200: refTo('Factory'), ...EDIT_ANSWERS },
      },
      onRequest: rejectRepositoryEdits(parts, async () => 'Revert the commit in the repository, and push'),
    },
    async (request, reply) => {
      const { name } = factoryOf(request);
      await parts.editor.revert(readEditOrder(request), request.body.revision);
      const status = await findFactory(parts.inventory, name);
      const counts = await parts.inventory.counts(name);
      void reply.header('etag', tagRevision(status.appliedRevision));
      const health = await readFactoryHealth(parts.health, name, await parts.health.group.list());
      return presentFactory(status, parts.findSource(name), counts, health, findPause(parts.pauses, name));
    },
  );
}

function presentRevision({ revision, author, at, message }: Revision) {
  return { revision, author: author.name, message, created_at: formatInstant(at) };
}
