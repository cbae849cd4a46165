import type { FastifyInstance } from 'fastify';
import { PUBLIC } from '../server/access-rules.ts';
import { type IdRouteParts, registerIdRoutes } from './id-routes.ts';
import { registerSchemaRoutes } from './schema-routes.ts';
import { registerSchemeRoutes } from './scheme-routes.ts';

/** What clients look up: abbreviated IDs, JSON Schemas, signature schemes, and the OpenAPI document. */
export function catalogPlugin(app: FastifyInstance, parts: IdRouteParts): void {
  registerIdRoutes(app, parts);
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
