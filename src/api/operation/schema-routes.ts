import type { FastifyInstance } from 'fastify';
import { readSchema, SCHEMA_NAMES } from '../../definitions/yaml/schemas.ts';
import type { JsonObject } from '../../domain/json.ts';
import { listOf } from '../openapi/schemas.ts';
import { PUBLIC } from '../server/access-rules.ts';
import { describeProblem, sendProblem } from '../server/problem.ts';

const tags = ['Schemas'];

/**
 * The JSON Schemas of the files that people write, for their editors: those cannot send a token, and what they read is
 * part of every package of the program.
 */
export function registerSchemaRoutes(app: FastifyInstance): void {
  const files = new Map(SCHEMA_NAMES.map((name) => [`${name}.json`, readSchema(name)]));
  registerList(app, files);
  app.get<{ Params: { file: string } }>(
    '/schemas/:file',
    {
      config: { access: PUBLIC },
      schema: {
        tags,
        summary: 'A JSON Schema for editors',
        description: 'For example `webhook.json`. The same document as `dockbell schema webhook` prints.',
        params: { type: 'object', properties: { file: { type: 'string' } } },
        response: {
          200: {
            description: 'A JSON Schema.',
            content: { 'application/schema+json': { schema: { type: 'object' } } },
          },
        },
      },
    },
    async ({ params }, reply) => {
      const document = files.get(params.file);
      if (document !== undefined) return reply.header('content-type', 'application/schema+json').send(document);
      const detail = `There is no such schema; these are: ${[...files.keys()].join(', ')}.`;
      return sendProblem(reply, describeProblem('not_found', detail));
    },
  );
}

function registerList(app: FastifyInstance, files: ReadonlyMap<string, JsonObject>): void {
  app.get(
    '/schemas',
    {
      config: { access: PUBLIC },
      schema: {
        tags,
        summary: 'JSON Schemas of definition files and of the configuration',
        response: { 200: listOf('EditorSchema') },
      },
    },
    async () => ({
      data: SCHEMA_NAMES.map((name) => {
        const file = `${name}.json`;
        return { name, title: files.get(file)!.title, path: `${app.prefix}/schemas/${file}` };
      }),
      next_cursor: null,
    }),
  );
}
