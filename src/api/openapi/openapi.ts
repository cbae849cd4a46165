import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifySchema, RouteOptions } from 'fastify';
import type { RouteAccess } from '../server/access-rules.ts';
import { type ApiDocument, addExamples } from './add-examples.ts';
import { OPERATIONS } from './operations.ts';
import { noBody } from './schemas.ts';
import { describeAnswers, shareAnswers } from './shared-answers.ts';

/** Options that make the OpenAPI 3.1 document out of the routes. */
export function describeApi(version: string): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Dockbell management API',
        version,
        description: INTRODUCTION,
        contact: { name: 'The operator of this Dockbell' },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'The admin listener that serves this document.' }],
      tags: TAGS.map(([name, description]) => ({ name, description })),
      security: [{ apiToken: [] }, { session: [] }],
      components: {
        securitySchemes: {
          apiToken: { type: 'http', scheme: 'bearer', description: 'An API token, `dbk_…`.' },
          session: { type: 'apiKey', in: 'cookie', name: 'dockbell', description: SESSION },
        },
      },
    },
    // The document names schemas by their own names, in place of def-0, def-1, ...
    refResolver: { buildLocalReference: (json, _baseUri, _fragment, i) => String(json.$id ?? `def-${i}`) },
    transform: ({ schema, url, route }) => ({ schema: describeRoute(schema ?? {}, route), url }),
    transformObject: (made) => addExamples(shareAnswers((made as { openapiObject: ApiDocument }).openapiObject)),
  };
}

const SESSION =
  'The cookie of `POST /session`, over TLS `__Host-dockbell`. Requests that change something also need `X-CSRF-Token`.';

const INTRODUCTION = `Lists return \`{"data": [...], "next_cursor": string|null}\`. Times are RFC 3339 in UTC with milliseconds. Errors are
problem documents (RFC 9457). The roles are viewer, operator, manager and owner. Each role includes the permissions of the
previous ones. A token can be limited to some factories. For such a token, other factories and their objects return 404, and
objects of the whole team return 403.

Routes that create objects accept an \`Idempotency-Key\`. Repeating a request with the same key and body within 24 hours returns
the first response with the header \`Idempotent-Replayed: true\`, and creates nothing. Webhooks, automations and factories have an
\`ETag\`. If a change has it as \`If-Match\` and the object has changed since, the response is 412. If a read has it as
\`If-None-Match\` and the object has not changed, the response is 304. Lists are compressed for clients that accept gzip. If a path
does not have a method, the response is 405, and \`Allow\` lists its methods.`;

const TAGS = [
  ['Factories', 'Factories with their live definition and their problems.'],
  ['Reconciliations', 'Attempts to apply a commit or an edit.'],
  ['Webhooks', 'URLs that senders post deliveries to.'],
  ['Deliveries', 'The delivery log: requests of senders and their results.'],
  ['Replays', 'Replays of many stored deliveries, and their progress.'],
  ['Automations', 'Automations, which deliveries start.'],
  ['Runs', 'Executions of automations.'],
  ['Stories', 'Why an object is in its state: what happened, in order.'],
  ['IDs', 'Complete IDs for abbreviated ones.'],
  ['Workers', 'Execution of runs by programs on other machines.'],
  ['Events', 'A stream of changes.'],
  ['Alerts', 'What needs attention, and who gets messages about it.'],
  ['Secrets', 'Credentials of the team. Values can be written, but not read.'],
  ['Tokens', 'API tokens of programs.'],
  ['Users', 'People who can sign in.'],
  ['Sign-in', 'Sessions of the dashboard.'],
  ['Audit log', 'Changes and sign-ins, with the user of each.'],
  ['Schemas', 'JSON Schemas of definition files and of the configuration, for editors.'],
  ['Operation', 'Health, metrics and this document.'],
] as const;

/** Adds what follows from the access rules: who may use a route, and the errors every such route can answer. */
function describeRoute(schema: FastifySchema, route: RouteOptions): FastifySchema {
  const access = route.config?.access ?? { role: 'public' };
  const { body, response, ...rest } = schema;
  return {
    ...rest,
    operationId: OPERATIONS[`${route.method} ${route.url}`]?.id,
    ...(body === undefined || body === noBody ? {} : { body }),
    description: [schema.description, sayWhoMay(access)].filter(Boolean).join('\n\n'),
    ...describeAnswers((response ?? {}) as Record<string, object>, access, route),
    ...(access.role === 'public' ? { security: [] } : {}),
    ...describeHeaders(schema, route),
  };
}

const IDEMPOTENCY_KEY = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: '^[!-~]*$',
  description:
    'Client-generated key. Repeating a request with the same key and body within 24 hours returns the first response.',
};
const IF_MATCH = {
  type: 'string',
  description: 'The `ETag` of the representation to change. If it has changed since, the response is 412.',
};

/** The headers that a route takes. They are read where their use is, so that one of another form has its own error. */
function describeHeaders(schema: FastifySchema, { config }: RouteOptions): Pick<FastifySchema, 'headers'> {
  const takesTag = Object.keys(schema.response ?? {}).includes('412');
  const properties = {
    ...(config?.idempotent === true ? { 'Idempotency-Key': IDEMPOTENCY_KEY } : {}),
    ...(takesTag ? { 'If-Match': IF_MATCH } : {}),
  };
  return Object.keys(properties).length === 0 ? {} : { headers: { type: 'object', properties } };
}

function sayWhoMay(access: RouteAccess): string {
  if (access.role === 'public') return 'Open: needs no credentials.';
  const limit = access.reach === 'team' ? ' Not for tokens that are limited to some factories.' : '';
  return `Role: ${access.role}.${limit}`;
}
