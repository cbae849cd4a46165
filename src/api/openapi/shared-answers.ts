import type { RouteOptions } from 'fastify';
import type { RouteAccess } from '../server/access-rules.ts';
import { type ApiDocument, mapValues, type Operation } from './add-examples.ts';
import { refTo as refToSchema } from './schemas.ts';

const text = (description: string) => ({ description, schema: { type: 'string' } });

/** Headers of answers, by their name in `components.headers`. */
const HEADERS = {
  ETag: text('Version of this representation. Send it as `If-Match` with a change, or as `If-None-Match` with a read.'),
  Location: text('Path of the new object.'),
  Redirect: text('Where the browser goes next.'),
  'Idempotent-Replayed': text(
    '`true` if this is the stored response of an earlier request with the same `Idempotency-Key` and body.',
  ),
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer' } },
  RateLimit: text(
    'The quota that is used up and the seconds until it is renewed (`t`), if the limit counts one client.',
  ),
  'RateLimit-Policy': text('Name, quota (`q`) and window in seconds (`w`) of that limit.'),
  Link: text('The description of the problem in the documentation that the daemon serves, with `rel="help"`.'),
  'WWW-Authenticate': text('How to authenticate.'),
};

type HeaderName = keyof typeof HEADERS;

const refTo = (kind: 'headers' | 'responses' | 'schemas', name: string) => ({ $ref: `#/components/${kind}/${name}` });

function problem(description: string, more: readonly HeaderName[] = []) {
  const headers = Object.fromEntries([...more, 'Link'].map((name) => [name, refTo('headers', name)]));
  return { description, headers, content: { 'application/problem+json': { schema: refTo('schemas', 'Problem') } } };
}

/** The errors of all routes, and 304, by their name in `components.responses`. */
const SHARED_ANSWERS = {
  NotModified: {
    description: 'Not changed since the `ETag` in `If-None-Match`.',
    headers: { ETag: refTo('headers', 'ETag') },
  },
  InvalidRequest: problem('The request is not valid; `errors` says where.'),
  InvalidToken: problem('No valid API token.', ['WWW-Authenticate']),
  SignInRejected: problem('The request was rejected.', ['WWW-Authenticate']),
  Forbidden: problem('The token may not do this.'),
  SignInForbidden: problem('The request was rejected.'),
  NotFound: problem('It does not exist, or the token cannot access it.'),
  Conflict: problem('The request conflicts with the current state. `detail` says what to do.'),
  Changed: problem('It has changed since the `ETag` in `If-Match`.'),
  BodyTooLarge: problem('The body is too large.'),
  NotJson: problem('The body is not JSON.'),
  WrongHost: problem('The Host header names another host.'),
  KeyReused: problem('The Idempotency-Key was used with another body.'),
  InvalidContent: problem(
    'The filter or the definition is not valid; `errors` or `diagnostics` lists all that is wrong.',
  ),
  TooManyRequests: problem('Too many requests of this kind, or too many invalid tokens from this address.', [
    'Retry-After',
    'RateLimit',
    'RateLimit-Policy',
  ]),
  InternalError: problem('Internal error; `id` is in the daemon’s log.'),
  ServiceFailed: problem('A service that the daemon depends on did not respond. `detail` names it.'),
  NotReady: problem('Not ready; `problems` says why.', ['Retry-After']),
  StorageUnavailable: problem('The storage cannot be used now.', ['Retry-After']),
};

/** How a route states an error. */
const PROBLEM = refToSchema('Problem').$ref;
/** The key of an operation with its answers, until `shareAnswers`. @fastify/swagger keeps keys with `x-`. */
const ANSWERS = 'x-answers';
type Described = Operation & { [ANSWERS]: Record<string, object> };

type NamesByStatus = Readonly<Record<string, keyof typeof SHARED_ANSWERS>>;

/** What a route means that lists the schema `Problem` under this status. */
const STATED: NamesByStatus = {
  401: 'SignInRejected',
  403: 'SignInForbidden',
  404: 'NotFound',
  409: 'Conflict',
  412: 'Changed',
  422: 'InvalidContent',
  429: 'TooManyRequests',
  502: 'ServiceFailed',
  503: 'NotReady',
};

/** What a route can answer because of what all routes have in common. */
function listCommon(access: RouteAccess, { config, method, url }: RouteOptions): NamesByStatus {
  const isRead = method === 'GET';
  return {
    ...(isRead && config?.tagged === true ? { 304: 'NotModified' } : {}),
    400: 'InvalidRequest',
    ...(access.role === 'public' ? {} : { 401: 'InvalidToken', 403: 'Forbidden', 429: 'TooManyRequests' }),
    ...(url.includes('/:') ? { 404: 'NotFound' } : {}),
    ...(config?.idempotent === true ? { 409: 'Conflict', 422: 'KeyReused' } : {}),
    ...(isRead ? {} : { 413: 'BodyTooLarge', 415: 'NotJson' }),
    421: 'WrongHost',
    500: 'InternalError',
    503: 'StorageUnavailable',
  };
}

/** The headers of an answer that a route describes itself. */
function listHeaders(status: string, { config, url }: RouteOptions): Record<string, object> {
  const isSuccess = status.startsWith('2');
  return {
    ...(config?.tagged === true && isSuccess ? { ETag: refTo('headers', 'ETag') } : {}),
    ...(status === '201' && !url.endsWith('/login-links') ? { Location: refTo('headers', 'Location') } : {}),
    ...(status === '303' ? { Location: refTo('headers', 'Redirect') } : {}),
    ...(config?.idempotent === true && isSuccess
      ? { 'Idempotent-Replayed': refTo('headers', 'Idempotent-Replayed') }
      : {}),
  };
}

/**
 * The answers of a route. `response`: those that it describes itself, as @fastify/swagger takes them. `x-answers`: what
 * @fastify/swagger cannot express, in the form of the document, for `shareAnswers`: references to components.
 */
export function describeAnswers(declared: Record<string, { $ref?: string }>, access: RouteAccess, route: RouteOptions) {
  const own = Object.entries(declared).filter(([, { $ref }]) => $ref !== PROBLEM);
  const stated = Object.keys(declared).filter((status) => declared[status]!.$ref === PROBLEM);
  const shared = {
    ...listCommon(access, route),
    ...Object.fromEntries(stated.map((status) => [status, STATED[status]!])),
  };
  const headers = Object.fromEntries(own.map(([status]) => [status, listHeaders(status, route)]));
  return {
    response: Object.fromEntries(own),
    [ANSWERS]: {
      ...mapValues(shared, (name) => refTo('responses', name)),
      ...mapValues(headers, (each) => (Object.keys(each).length === 0 ? {} : { headers: each })),
    },
  };
}

/** The document with its shared answers and headers as components. */
export function shareAnswers<T extends ApiDocument>(document: T): T {
  const addAnswers = ({ [ANSWERS]: answers, responses, ...operation }: Described): Operation => ({
    ...operation,
    responses: mapValues(answers, (answer, status) => ({ ...responses?.[status], ...answer })),
  });
  const paths = mapValues(document.paths, (operations) =>
    mapValues(operations as Record<string, Described>, addAnswers),
  );
  return {
    ...document,
    components: { ...document.components, responses: SHARED_ANSWERS, headers: HEADERS },
    paths,
  };
}
