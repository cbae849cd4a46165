import type { FastifyInstance } from 'fastify';
import type { FactoryView } from '../../domain/applies/reconciliation.ts';
import type { ReconcileControl } from '../../domain/ports/definitions.ts';
import type { InventoryReader } from '../../domain/ports/inventory.ts';
import type { PauseControl } from '../../domain/ports/pauses.ts';
import type { ListedReplica } from '../../domain/ports/replicas.ts';
import { tagRevision } from '../../reconcile/edit/entity-tag.ts';
import { reachesFactory } from '../auth/authenticator.ts';
import { closedObject, listOf, refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { type PageQuery, pageOf, SHORT_LIST_QUERY } from '../server/page-query.ts';
import { factoryOf, principalOf } from '../server/reach.ts';
import type { FindSource } from './factory-source.ts';
import { findFactory } from './find-factory.ts';
import { type NameRouteParts, registerNameRoutes } from './name-routes.ts';
import { presentFactory } from './present-factory.ts';
import { findPause } from './present-pause.ts';
import { type FactoryHealthParts, readFactoryHealth } from './read-factory-health.ts';

interface FactoryRouteParts extends NameRouteParts {
  inventory: InventoryReader;
  reconcile: Pick<ReconcileControl, 'contains'>;
  findSource: FindSource;
  health: FactoryHealthParts;
  pauses: PauseControl;
}

/** `GET /factories`, `GET /factories/{factory}` and `GET /factories/{factory}/ancestry/{revision}`. */
export function registerFactoryRoutes(app: FastifyInstance, parts: FactoryRouteParts): void {
  const listReplicas = () => parts.health.group.list();
  const present = async (status: FactoryView, replicas: readonly ListedReplica[]) =>
    presentFactory(
      status,
      parts.findSource(status.name),
      await parts.inventory.counts(status.name),
      await readFactoryHealth(parts.health, status.name, replicas),
      findPause(parts.pauses, status.name),
    );

  app.get<{ Querystring: PageQuery }>(
    '/factories',
    {
      config: { access: requireRole('viewer', 'listed') },
      schema: {
        tags: ['Factories'],
        summary: 'List factories',
        querystring: SHORT_LIST_QUERY,
        response: { 200: listOf('Factory') },
      },
    },
    async (request) => {
      const principal = principalOf(request);
      const reached = (await parts.inventory.factories()).filter(({ name }) => reachesFactory(principal, name));
      const page = pageOf(reached, request.query, ({ name }) => name);
      const replicas = await listReplicas();
      const data = await Promise.all(page.data.map((status) => present(status, replicas)));
      return { data, next_cursor: page.nextCursor };
    },
  );

  app.get(
    '/factories/:factory',
    {
      config: { access: requireRole('viewer', 'factory'), tagged: true },
      schema: {
        tags: ['Factories'],
        summary: 'Show a factory: what it serves and what is wrong',
        response: { 200: refTo('Factory') },
      },
    },
    async (request, reply) => {
      const status = await findFactory(parts.inventory, factoryOf(request).name);
      void reply.header('etag', tagRevision(status.appliedRevision));
      return present(status, await listReplicas());
    },
  );

  registerAncestry(app, parts);
  registerNameRoutes(app, parts, async (name) =>
    present(await findFactory(parts.inventory, name), await listReplicas()),
  );
}

function registerAncestry(app: FastifyInstance, parts: FactoryRouteParts): void {
  app.get<{ Params: { revision: string } }>(
    '/factories/:factory/ancestry/:revision',
    {
      config: { access: requireRole('viewer', 'factory') },
      schema: {
        tags: ['Factories'],
        summary: 'Show whether the live commit contains a commit',
        description:
          'For a commit that a later push overtook: it is never applied itself, but it is part of what is live. May ask the repository for some of its history.',
        params: closedObject({
          factory: { type: 'string' },
          revision: {
            type: 'string',
            pattern: '^[0-9a-f]{7,64}$',
            description: 'A commit, or the first 7 digits or more of one.',
          },
        }),
        response: { 200: refTo('Ancestry') },
      },
    },
    async (request) => {
      const { name, appliedRevision } = factoryOf(request);
      const { revision } = request.params;
      const ancestry =
        appliedRevision === null ? 'no' : await parts.reconcile.contains(name, appliedRevision, revision);
      const contained = ancestry === 'unknown' ? null : ancestry === 'yes';
      return { revision, applied_revision: appliedRevision, contained };
    },
  );
}
