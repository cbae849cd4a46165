import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifySchema, RouteOptions } from 'fastify';
import type { RouteAccess } from './access-rules.ts';
import { API_PREFIX } from './enforce-access.ts';
import { noBody } from './no-body.ts';
import { refTo } from './schemas.ts';

/** Options that make the OpenAPI 3.1 document out of the routes. */
export function describeApi(version: string): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Dockbell management API', version, description: INTRODUCTION },
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
  };
}

const SESSION =
  'The cookie of `POST /session`, over TLS `__Host-dockbell`. Wants `X-CSRF-Token` for all that does not only read.';

const INTRODUCTION = `Lists answer \`{"data": [...], "next_cursor": string|null}\`. Times are RFC 3339 in UTC with milliseconds. Errors are
problem documents (RFC 9457). Roles, each holding the earlier: viewer, operator, manager, owner. A token may be limited
to some factories: others, and what belongs to them, answer 404 as if they did not exist; what belongs to the whole
team answers 403.

Routes that create take an \`Idempotency-Key\`: the same key and body within 24 hours get the first answer again, with the
header \`Idempotent-Replayed: true\`, and nothing is made twice. Webhooks, automations and factories answer with an \`ETag\`;
sent back as \`If-Match\`, a change is refused with 412 where somebody else changed them since.`;

const TAGS = [
  ['Factories', 'What is served and what is wrong.'],
  ['Reconciliations', 'How commits became what is served.'],
  ['Webhooks', 'Where senders post to.'],
  ['Deliveries', 'What senders posted and what came of it.'],
  ['Automations', 'What deliveries start.'],
  ['Runs', 'What was started.'],
  ['IDs', 'Whole IDs for what people abbreviate.'],
  ['Events', 'What happens, as it happens.'],
  ['Secrets', 'Credentials of the team; written, never read.'],
  ['Tokens', 'Programs that may use this API.'],
  ['Users', 'People who may sign in.'],
  ['Sign-in', 'Sessions of the dashboard.'],
  ['Audit log', 'Who changed what.'],
  ['Schemas', 'Of the files that people write, for their editors.'],
  ['Operation', 'Health, metrics and this document.'],
] as const;

/** Adds what follows from the access rules: who may use a route, and the errors every such route can answer. */
function describeRoute(schema: FastifySchema, route: RouteOptions): FastifySchema {
  const access = route.config?.access ?? { role: 'public' };
  const { body, response, ...rest } = schema;
  return {
    ...rest,
    operationId: nameOperation(route),
    ...(body === undefined || body === noBody ? {} : { body }),
    description: [schema.description, sayWhoMay(access)].filter(Boolean).join('\n\n'),
    response: { ...listErrors(access, route), ...withProblemTypes(response as Responses) },
    ...(access.role === 'public' ? { security: [] } : {}),
    ...describeHeaders(schema, route),
  };
}

const IDEMPOTENCY_KEY = {
  ...{ type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]*$' },
  description: 'Of your choice. The same key and body within 24 hours get the first answer again.',
};
const IF_MATCH = { type: 'string', description: 'The `ETag` that the change is made on; 412 where it is another now.' };

/** The headers that a route takes. They are read where their use is, so that one of another form has its own error. */
function describeHeaders(schema: FastifySchema, { config }: RouteOptions): Pick<FastifySchema, 'headers'> {
  const takesTag = Object.keys((schema.response as Responses | undefined) ?? {}).includes('412');
  const properties = {
    ...(config?.idempotent === true ? { 'Idempotency-Key': IDEMPOTENCY_KEY } : {}),
    ...(takesTag ? { 'If-Match': IF_MATCH } : {}),
  };
  return Object.keys(properties).length === 0 ? {} : { headers: { type: 'object', properties } };
}

/** For generators of clients: `GET /factories/:factory/webhooks` is `getFactoriesByFactoryWebhooks`. */
function nameOperation({ method, url }: RouteOptions): string {
  const words = url
    .replace(API_PREFIX, '')
    .replaceAll(':', 'by/')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  return String(method).toLowerCase() + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
}

function sayWhoMay(access: RouteAccess): string {
  if (access.role === 'public') return 'Open: needs no credentials.';
  const limit = access.reach === 'team' ? ' Not for tokens that are limited to some factories.' : '';
  return `Role: ${access.role}.${limit}`;
}

type Responses = Record<string, { $ref?: string }>;

function problem(description: string) {
  return { description, content: { 'application/problem+json': { schema: refTo('Problem') } } };
}

/** The errors that a route can answer because of what all routes have in common. */
function listErrors(access: RouteAccess, route: RouteOptions): Record<string, unknown> {
  const changes = route.method !== 'GET';
  return {
    ...(route.method === 'GET' && route.config?.tagged === true ? { 304: NOT_MODIFIED } : {}),
    400: problem('The request is not valid; `errors` says where.'),
    ...(access.role === 'public'
      ? {}
      : {
          401: problem('No valid API token.'),
          403: problem('The token may not do this.'),
          429: problem(TOO_MANY),
        }),
    ...(route.url.includes('/:') ? { 404: problem(REFUSALS[404]!) } : {}),
    ...(route.config?.idempotent === true ? { 409: problem(REFUSALS[409]!), 422: problem(KEY_REUSED) } : {}),
    ...(changes ? { 413: problem('The body is too large.'), 415: problem('The body is not JSON.') } : {}),
    421: problem('The Host header names another host.'),
    500: problem('Internal error; `id` is in the daemon’s log.'),
    503: problem('The storage cannot be used now.'),
  };
}

const NOT_MODIFIED = { description: 'Not changed since the `ETag` in `If-None-Match`.', type: 'null' };
const TOO_MANY = 'Too many requests of this kind, or too many invalid tokens from this address.';
const KEY_REUSED = 'The Idempotency-Key was used with another body.';

const REFUSALS: Record<string, string> = {
  404: 'It does not exist, or is out of the token’s reach.',
  409: 'It is in conflict with what is there; `detail` says what to do.',
  412: 'Somebody changed it since the `ETag` in `If-Match`.',
  422: 'The filter or the definition is not valid; `errors` or `diagnostics` lists all that is wrong.',
  429: TOO_MANY,
  502: 'Something that the daemon had to ask did not answer; `detail` names it.',
  503: 'Not ready; `problems` says why.',
};

/** Routes write `refTo('Problem')` for an error of their own; the document states its media type. */
function withProblemTypes(responses: Responses = {}): Record<string, unknown> {
  const isProblem = (response: { $ref?: string }) => response.$ref === refTo('Problem').$ref;
  const entries = Object.entries(responses).map(([status, response]) => [
    status,
    isProblem(response) ? problem(REFUSALS[status] ?? 'The request was refused.') : response,
  ]);
  return Object.fromEntries(entries);
}
