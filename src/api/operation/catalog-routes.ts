import type { FastifyInstance } from 'fastify';
import { describeScheme, type SignatureSchemeFacts } from '../../definitions/signature/schemes/describe-scheme.ts';
import { SCHEMES } from '../../definitions/signature/schemes/schemes.ts';
import { readSchema, SCHEMA_NAMES } from '../../definitions/yaml/schemas.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { FindableId, IdFinder } from '../../domain/ports/inventory.ts';
import { reachesFactory } from '../auth/authenticator.ts';
import { listOf } from '../openapi/schemas.ts';
import { PUBLIC, requireRole } from '../server/access-rules.ts';
import { querySchema } from '../server/page-query.ts';
import { describeProblem, sendProblem } from '../server/problem.ts';
import { principalOf } from '../server/reach.ts';

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

/** As many as a person can choose from. */
const MAX_FOUND = 10;

const ID_QUERY = {
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
function registerIdRoutes(app: FastifyInstance, idFinder: IdFinder): void {
  app.get<{ Querystring: { prefix: FindableId; factory?: string } }>(
    '/ids',
    {
      config: { access: requireRole('viewer', 'listed') },
      schema: {
        tags: ['IDs'],
        summary: 'Find IDs by their beginning',
        description: `IDs of deliveries, runs, reconciliations and webhooks in descending order, at most ${MAX_FOUND}. The prefix is unique if one ID is found.`,
        querystring: ID_QUERY,
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

const SCHEMA_TAGS = ['Schemas'];
/** Those of this process. */
let schemaFiles: ReadonlyMap<string, JsonObject> | null = null;

/**
 * The JSON Schemas of the files that people write, for their editors: those cannot send a token, and what they read is
 * part of every package of the program.
 */
function registerSchemaRoutes(app: FastifyInstance): void {
  // Not at the first request: the files of the package may be those of the next version by then.
  schemaFiles ??= new Map(SCHEMA_NAMES.map((name) => [`${name}.json`, readSchema(name)]));
  const files = schemaFiles;
  registerList(app, files);
  app.get<{ Params: { file: string } }>(
    '/schemas/:file',
    {
      config: { access: PUBLIC },
      schema: {
        tags: SCHEMA_TAGS,
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
        tags: SCHEMA_TAGS,
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

/** The signature schemes that a webhook can name: for forms that create one, and for people who read one. */
function registerSchemeRoutes(app: FastifyInstance): void {
  app.get(
    '/signature-schemes',
    {
      config: { access: requireRole('viewer', 'listed') },
      schema: {
        tags: ['Webhooks'],
        summary: 'List signature schemes',
        response: { 200: listOf('SignatureScheme') },
      },
    },
    async () => ({ data: SCHEMES.map((scheme) => presentScheme(describeScheme(scheme))), next_cursor: null }),
  );
}

function presentScheme(scheme: SignatureSchemeFacts) {
  return {
    name: scheme.name,
    title: scheme.title,
    secret_issued: scheme.whenSecretIsIssued,
    generates_secret: scheme.canGenerateSecret,
    identities: scheme.identities,
    credential_places: scheme.credentialPlaces,
    documentation: scheme.documentation === '' ? null : scheme.documentation,
  };
}
