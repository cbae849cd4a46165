import type { FastifyInstance } from 'fastify';
import type { FindableId, IdFinder } from '../../domain/ports/id-finder.ts';
import { reachesFactory } from '../auth/authenticator.ts';
import { listOf } from '../openapi/schemas.ts';
import { requireRole } from '../server/access-rules.ts';
import { querySchema } from '../server/page-query.ts';
import { principalOf } from '../server/reach.ts';

/** As many as a person can choose from. */
const MAX_FOUND = 10;

const query = {
  ...querySchema({
    prefix: {
      type: 'string',
      pattern: '^(dlv|run|rec|rpl|wh)_[0-9a-hjkmnp-tv-z]{6,26}$',
      description: 'The type prefix and at least 6 further characters.',
    },
    factory: { type: 'string', minLength: 1, description: 'Only objects of this factory.' },
  }),
  required: ['prefix'],
};

/** Complete IDs for abbreviated ones. */
export function registerIdRoutes(app: FastifyInstance, idFinder: IdFinder): void {
  app.get<{ Querystring: { prefix: FindableId; factory?: string } }>(
    '/ids',
    {
      config: { access: requireRole('viewer', 'listed') },
      schema: {
        tags: ['IDs'],
        summary: 'Find IDs by their beginning',
        description: `IDs of deliveries, runs, reconciliations and webhooks in descending order, at most ${MAX_FOUND}. The prefix is unique if one ID is found.`,
        querystring: query,
        response: { 200: listOf('FoundId') },
      },
    },
    async (request) => {
      const { prefix, factory } = request.query;
      const principal = principalOf(request);
      const isReached = factory === undefined || reachesFactory(principal, factory);
      const factories = factory === undefined ? principal.factories : [factory];
      const data = isReached ? await idFinder.find({ prefix, factories, limit: MAX_FOUND }) : [];
      return { data, next_cursor: null };
    },
  );
}
