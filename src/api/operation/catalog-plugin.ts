import type { FastifyInstance } from 'fastify';
import type { IdFinder } from '../../domain/ports/id-finder.ts';
import { PUBLIC } from '../server/access-rules.ts';
import { registerIdRoutes } from './id-routes.ts';
import { registerSchemaRoutes } from './schema-routes.ts';
import { registerSchemeRoutes } from './scheme-routes.ts';

/** What clients look up: abbreviated IDs, JSON Schemas, signature schemes, and the OpenAPI document. */
export function catalogPlugin(app: FastifyInstance, idFinder: IdFinder): void {
  registerIdRoutes(app, idFinder);
  registerSchemaRoutes(app);
  registerSchemeRoutes(app);
  app.get(
    '/openapi.json',
    {
      config: { access: PUBLIC },
      schema: {
        tags: ['Operation'],
        summary: 'Show this document',
        response: { 200: { description: 'OpenAPI 3.1.', type: 'object' } },
      },
    },
    async () => app.swagger(),
  );
}
