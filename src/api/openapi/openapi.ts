import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifySchema, RouteOptions } from 'fastify';
import type { RouteAccess } from '../server/access-rules.ts';
import { type ApiDocument, addExamples } from './add-examples.ts';
import { OPERATIONS } from './operations.ts';
import { noBody, refTo } from './schemas.ts';

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
    transformObject: (made) => addExamples((made as { openapiObject: ApiDocument }).openapiObject),
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
    response: addHeaders({ ...listErrors(access, route), ...withProblemTypes(response as Responses) }, route),
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
  const takesTag = Object.keys((schema.response as Responses | undefined) ?? {}).includes('412');
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
    ...(route.url.includes('/:') ? { 404: problem(REJECTIONS[404]!) } : {}),
    ...(route.config?.idempotent === true ? { 409: problem(REJECTIONS[409]!), 422: problem(KEY_REUSED) } : {}),
    ...(changes ? { 413: problem('The body is too large.'), 415: problem('The body is not JSON.') } : {}),
    421: problem('The Host header names another host.'),
    500: problem('Internal error; `id` is in the daemon’s log.'),
    503: problem('The storage cannot be used now.'),
  };
}

const NOT_MODIFIED = { description: 'Not changed since the `ETag` in `If-None-Match`.', type: 'null' };
const TOO_MANY = 'Too many requests of this kind, or too many invalid tokens from this address.';
const KEY_REUSED = 'The Idempotency-Key was used with another body.';

const text = (description: string) => ({ type: 'string', description });
const HEADERS = {
  etag: text('Version of this representation. Send it as `If-Match` with a change, or as `If-None-Match` with a read.'),
  location: text('Path of the new object.'),
  redirect: text('Where the browser goes next.'),
  replayed: text(
    '`true` if this is the stored response of an earlier request with the same `Idempotency-Key` and body.',
  ),
  retryAfter: { type: 'integer', description: 'Seconds to wait before the next attempt.' },
  rateLimit: text(
    'The quota that is used up and the seconds until it is renewed (`t`), if the limit counts one client.',
  ),
  rateLimitPolicy: text('Name, quota (`q`) and window in seconds (`w`) of that limit.'),
  help: text('The description of the problem in the documentation that the daemon serves, with `rel="help"`.'),
  authenticate: text('How to authenticate.'),
};

/** The headers that go with each answer of a route. */
function addHeaders(responses: Record<string, unknown>, { config, url }: RouteOptions): Record<string, unknown> {
  const listHeaders = (status: string) => {
    const isSuccess = status.startsWith('2');
    return {
      ...(config?.tagged === true && (isSuccess || status === '304') ? { ETag: HEADERS.etag } : {}),
      ...(status === '201' && !url.endsWith('/login-links') ? { Location: HEADERS.location } : {}),
      ...(status === '303' ? { Location: HEADERS.redirect } : {}),
      ...(config?.idempotent === true && isSuccess ? { 'Idempotent-Replayed': HEADERS.replayed } : {}),
      ...(status === '429' || status === '503' ? { 'Retry-After': HEADERS.retryAfter } : {}),
      ...(status === '429' ? { RateLimit: HEADERS.rateLimit, 'RateLimit-Policy': HEADERS.rateLimitPolicy } : {}),
      ...(isSuccess || status.startsWith('3') ? {} : { Link: HEADERS.help }),
      ...(status === '401' ? { 'WWW-Authenticate': HEADERS.authenticate } : {}),
    };
  };
  const entries = Object.entries(responses).map(([status, response]) => {
    const headers = listHeaders(status);
    return [status, Object.keys(headers).length === 0 ? response : { ...(response as object), headers }];
  });
  return Object.fromEntries(entries);
}

const REJECTIONS: Record<string, string> = {
  404: 'It does not exist, or the token cannot access it.',
  409: 'The request conflicts with the current state. `detail` says what to do.',
  412: 'It has changed since the `ETag` in `If-Match`.',
  422: 'The filter or the definition is not valid; `errors` or `diagnostics` lists all that is wrong.',
  429: TOO_MANY,
  502: 'A service that the daemon depends on did not respond. `detail` names it.',
  503: 'Not ready; `problems` says why.',
};

/** Routes write `refTo('Problem')` for their errors; the document states its media type. */
function withProblemTypes(responses: Responses = {}): Record<string, unknown> {
  const isProblem = (response: { $ref?: string }) => response.$ref === refTo('Problem').$ref;
  const entries = Object.entries(responses).map(([status, response]) => [
    status,
    isProblem(response) ? problem(REJECTIONS[status] ?? 'The request was rejected.') : response,
  ]);
  return Object.fromEntries(entries);
}
