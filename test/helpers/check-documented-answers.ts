import { subscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { afterEach } from 'vitest';
import { inlineAnswers } from '../../site/api-reference/inline-answers.mjs';

/** Set up once per process, and so for several test files: the set outlives this module. */
const KEY = Symbol.for('dockbell.undocumented-answers');
const shared = globalThis as { [KEY]?: Set<string> };

/**
 * Set up for every test file: a response of the management API that the OpenAPI document does not list fails the test.
 * Fastify publishes each server that is created in this process.
 */
if (shared[KEY] === undefined) {
  const findings = new Set<string>();
  shared[KEY] = findings;
  subscribe('fastify.initialization', (message) => {
    const { fastify: app } = message as { fastify: FastifyInstance };
    app.addHook('onResponse', async (request, reply) => {
      const finding = findUndocumented(app, request, reply);
      if (finding !== null) findings.add(finding);
    });
  });
}

const undocumented = shared[KEY];

afterEach(() => {
  const findings = [...undocumented];
  undocumented.clear();
  if (findings.length > 0) throw new Error(`not in the OpenAPI document: ${findings.join('; ')}`);
});

interface Operation {
  responses: Record<string, { content?: Record<string, unknown>; headers?: Record<string, unknown> }>;
}

const DOCUMENTED_HEADERS = [
  'etag',
  'location',
  'idempotent-replayed',
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  'link',
  'www-authenticate',
];

function findUndocumented(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): string | null {
  if (request.is404 || !app.hasDecorator('swagger')) return null;
  const operation = findOperation(app, request);
  if (operation === undefined) return null;
  const answer = `${reply.statusCode} of ${request.method} ${request.routeOptions.url}`;
  const response = operation.responses[reply.statusCode];
  if (response === undefined) return answer;
  const mediaType = String(reply.getHeader('content-type') ?? '').split(';')[0]!;
  const documented = Object.keys(response.content ?? {});
  const headers = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase());
  const missing = DOCUMENTED_HEADERS.filter((name) => reply.hasHeader(name) && !headers.includes(name));
  if (missing.length > 0) return `${missing.join(', ')} with ${answer}`;
  const isDocumented = mediaType === '' || documented.includes(mediaType) || documented.includes('*/*');
  return isDocumented ? null : `${mediaType} as ${answer}`;
}

function findOperation(app: FastifyInstance, { method, routeOptions }: FastifyRequest): Operation | undefined {
  const path = (routeOptions.url ?? '').replaceAll(/:(\w+)/g, '{$1}');
  return readPaths(app)[path]?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
}

type Paths = Record<string, Record<string, Operation>>;

let knownPaths: Paths | null = null;

/** Every server of a process has the same document, and building it takes longer than most tests. */
function readPaths(app: FastifyInstance): Paths {
  knownPaths ??= (inlineAnswers(app.swagger()).paths ?? {}) as Paths;
  return knownPaths;
}
