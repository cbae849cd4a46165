import type { FastifyInstance } from 'fastify';
import type { DrainControl, DrainState } from '../../domain/ports/pauses.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { refTo } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';

const tags = ['Operation'];

/** `GET`, `POST` and `DELETE /drain`: maintenance without a stop of the daemon, also of one replica. */
export function registerDrainRoutes(app: FastifyInstance, drain: DrainControl): void {
  app.get(
    '/drain',
    {
      config: { access: requireRole('viewer', 'team'), ofReplica: true },
      schema: {
        tags,
        summary: 'Show whether runs start',
        description: 'Each replica answers about its own runs.',
        response: { 200: refTo('Drain') },
      },
    },
    async () => presentDrain(drain.state()),
  );

  app.post(
    '/drain',
    {
      config: { access: requireRole('operator', 'team'), ofReplica: true },
      schema: {
        tags,
        summary: 'Start no further run',
        description:
          'Runs that were started continue, and workers claim nothing. Deliveries are accepted, and their runs wait. The state ends with `DELETE` or with the process. Of several replicas, only the one that answers drains.',
        response: { 200: refTo('Drain') },
      },
    },
    async () => {
      drain.drain();
      return presentDrain(drain.state());
    },
  );

  app.delete(
    '/drain',
    {
      config: { access: requireRole('operator', 'team'), ofReplica: true },
      schema: {
        tags,
        summary: 'Start runs again',
        description: 'Answers 409 while the daemon is stopping.',
        response: { 200: refTo('Drain') },
      },
    },
    async () => {
      drain.resume();
      return presentDrain(drain.state());
    },
  );
}

function presentDrain({ phase, since, executing, held }: DrainState) {
  return {
    state: phase,
    since: since === null ? null : formatInstant(since),
    executing_runs: executing,
    worker_runs: held,
  };
}
