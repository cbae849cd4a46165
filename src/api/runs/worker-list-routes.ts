import type { FastifyInstance } from 'fastify';
import type { KnownWorker, WorkerControl } from '../../domain/ports/workers.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { type Principal, reachesFactory } from '../auth/authenticator.ts';
import { closedObject, refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { principalOf } from '../server/reach.ts';

/** Who executes the runs of factories with the executor `queue`. */
export function registerWorkerList(app: FastifyInstance, workers: Pick<WorkerControl, 'list'>): void {
  app.get(
    '/workers',
    {
      config: { access: requireRole('viewer', 'listed') },
      schema: {
        tags: ['Workers'],
        summary: 'List workers',
        description:
          'The workers that have sent a request since the daemon started, by name, with the runs that they hold. A worker is removed from the list 24 hours after its last request.',
        response: {
          200: closedObject({ data: { type: 'array', items: refTo('Worker') } }, { description: 'The workers.' }),
        },
      },
    },
    async (request) => {
      const principal = principalOf(request);
      const known = workers.list().filter((worker) => isReached(worker, principal));
      return { data: known.map((worker) => presentWorker(worker, principal)) };
    },
  );
}

function isReached({ factories }: KnownWorker, principal: Principal): boolean {
  return principal.factories === null || factories.some((factory) => reachesFactory(principal, factory));
}

function presentWorker(worker: KnownWorker, principal: Principal) {
  const { id, name, token, labels, concurrency, version, factories, lastSeenAt, isOnline, runs } = worker;
  const reaches = (factory: string) => reachesFactory(principal, factory);
  return {
    id,
    name,
    token,
    state: isOnline ? 'online' : 'offline',
    labels: [...labels],
    concurrency,
    version,
    factories: factories.filter(reaches),
    last_seen_at: formatInstant(lastSeenAt),
    runs: runs
      .filter(({ factory }) => reaches(factory))
      .map(({ id: run, factory, automation, attempt, startedAt }) => ({
        id: run,
        factory,
        automation,
        attempt,
        started_at: startedAt === null ? null : formatInstant(startedAt),
      })),
  };
}
