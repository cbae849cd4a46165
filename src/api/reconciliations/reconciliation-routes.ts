import type { FastifyInstance } from 'fastify';
import type { ReconciliationId } from '../../domain/ids.ts';
import type { ReconcileControl, ReconciliationReader } from '../../domain/ports/definitions.ts';
import { type Clock, formatInstant } from '../../domain/time/clock.ts';
import { listOf, noBody, refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { type PageQuery, pageQuerySchema, presentPage, querySchema, readPage } from '../server/page-query.ts';
import { factoryOf, requireReached } from '../server/reach.ts';
import { presentReconciliation } from './present-reconciliation.ts';

interface ReconciliationRouteParts {
  reconciliations: ReconciliationReader;
  reconcile: Pick<ReconcileControl, 'reconcileNow'>;
  clock: Pick<Clock, 'wallMs'>;
}

const tags = ['Reconciliations'];

/** The loop of a factory: its history, and one pass on demand. */
export function registerReconciliationRoutes(app: FastifyInstance, parts: ReconciliationRouteParts): void {
  registerReconcileNow(app, parts);

  app.get<{ Querystring: PageQuery }>(
    '/factories/:factory/reconciliations',
    {
      config: { access: requireRole('viewer', 'factory') },
      schema: {
        tags,
        summary: 'List reconciliations, newest first',
        querystring: pageQuerySchema(),
        response: { 200: listOf('Reconciliation') },
      },
    },
    async (request) => {
      const factory = factoryOf(request).name;
      return presentPage(
        await parts.reconciliations.list({ ...readPage(request.query), factory }),
        presentReconciliation,
      );
    },
  );

  app.get<{ Params: { id: string } }>(
    '/factories/:factory/reconciliations/:id',
    {
      config: { access: requireRole('viewer', 'factory') },
      schema: {
        tags,
        summary: 'Show a reconciliation with its plan and findings',
        response: { 200: refTo('Reconciliation') },
      },
    },
    async (request) => {
      const found = await parts.reconciliations.get(request.params.id as ReconciliationId);
      const isHere = found?.factory === factoryOf(request).name;
      return presentReconciliation(requireReached(request, 'reconciliation', isHere ? found : null));
    },
  );
}

function registerReconcileNow(app: FastifyInstance, parts: ReconciliationRouteParts): void {
  app.post<{ Querystring: { wait?: boolean } }>(
    '/factories/:factory/reconciliations',
    {
      config: { access: requireRole('operator', 'factory') },
      schema: {
        tags,
        summary: 'Reconcile now',
        description: 'Responds immediately, or with `wait=true` when the reconciliation has ended.',
        querystring: querySchema({ wait: { type: 'boolean', default: false } }),
        body: noBody,
        response: { 200: refTo('Reconciliation'), 202: refTo('ReconciliationRequested'), 502: refTo('Problem') },
      },
    },
    async (request, reply) => {
      const factory = factoryOf(request).name;
      const pass = parts.reconcile.reconcileNow(factory);
      if (request.query.wait === true) return presentReconciliation(await pass);
      pass.catch((error: unknown) => request.log.error({ err: error, factory }, 'requested reconciliation failed'));
      return reply.code(202).send({ factory, requested_at: formatInstant(parts.clock.wallMs()) });
    },
  );
}
