// What all routes share. In: a request of the admin listener. Out: who asks, and whether they may; an answer of one form.
// The way of a request: `address-hook.ts`, `check-host.ts`, `forward-to-leader.ts`, `enforce-access.ts`, `idempotency.ts`, the
// route; `handle-error.ts` if one of them throws. `access-rules.ts` has what each role may do.

import type { Socket } from 'node:net';
import cookie from '@fastify/cookie';
import fastifyStatic from '@fastify/static';
import swagger from '@fastify/swagger';
import {
  type ConnectionError,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import type { RandomBytes } from '../../domain/ids.ts';
import type { FindClientAddress } from '../../domain/network/client-address.ts';
import type { AnswerStore } from '../../domain/ports/idempotency.ts';
import type { InventoryReader } from '../../domain/ports/inventory.ts';
import type { ReplicaGroup } from '../../domain/ports/replicas.ts';
import { type AuditParts, auditChanges, auditChangesAhead } from '../audit/audit-changes.ts';
import { auditReads } from '../audit/audit-reads.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import { describeApi } from '../openapi/openapi.ts';
import { COMPONENTS } from '../openapi/schemas.ts';
import { createPageSender, type PageSender } from '../operation/dashboard-routes.ts';
import { createDocsSender } from '../operation/send-docs.ts';
import { guardRegistration } from './access-rules.ts';
import { createAddressHook } from './address-hook.ts';
import { answerConditionally } from './answer-conditionally.ts';
import { createHostHook } from './check-host.ts';
import { compressAnswers } from './compress-answers.ts';
import { createAccessHook } from './enforce-access.ts';
import { createForwardHook } from './forward-to-leader.ts';
import { describeRejectedRequest, handleError } from './handle-error.ts';
import { handleIdempotencyKeys } from './idempotency.ts';
import { acceptOnlyJson, MAX_BODY_BYTES } from './parse-json-body.ts';
import { describeProblem, sendProblem } from './problem.ts';
import { createRequestValidator } from './request-validator.ts';

/** What every route shares. The resources are plugins that the caller registers. */
interface AdminServerParts {
  authenticate: Authenticator;
  inventory: Pick<InventoryReader, 'head'>;
  audit: AuditParts;
  /** For requests that are repeated with their idempotency key. */
  answers: AnswerStore;
  randomBytes: RandomBytes;
  /** Addresses and subnets of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted. */
  trustedProxies: readonly string[];
  findClientAddress: FindClientAddress;
  /** Names that the `Host` header may hold, in addition to those of loopback, with or without a port. */
  allowedHosts: readonly string[];
  /** The folder of the built dashboard: `index.html` and `assets/`. */
  dashboardDir: string;
  /** The folder of the built documentation. */
  docsDir: string;
  /** Version of the program, for the OpenAPI document. */
  version: string;
  group: Pick<ReplicaGroup, 'isLeader' | 'findLeader'>;
  logger: FastifyBaseLogger;
}

/**
 * The server of the admin listener: who may ask, what is logged, and how answers look. The caller registers the
 * resources, and calls `listen` and `close`.
 */
export function createAdminServer(parts: AdminServerParts): FastifyInstance {
  const app = createBareServer(parts);
  guardRegistration(app);
  app.decorateRequest('principal', null);
  app.decorateRequest('factory', null);
  acceptOnlyJson(app);
  app.setErrorHandler(handleError);
  app.setNotFoundHandler(createNotFoundHandler(app, [createDocsSender(parts), createPageSender(parts)]));
  addHooks(app, parts);
  auditChanges(app, parts.audit);
  auditReads(app, parts.audit);
  handleIdempotencyKeys(app, parts.answers);
  auditChangesAhead(app, parts.audit);
  answerConditionally(app);
  compressAnswers(app);
  for (const [name, schema] of Object.entries(COMPONENTS)) app.addSchema({ $id: name, ...schema });
  void app.register(cookie);
  void app.register(fastifyStatic, { serve: false, preCompressed: true });
  void app.register(swagger, describeApi(parts.version));
  return app;
}

// Slow and idle clients are disconnected as on the ingress (threat model N2).
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 5_000;
/** The longest names are secrets' (128) and automations' (100); a percent-encoded byte takes three characters. */
const MAX_PARAM_CHARACTERS = 512;

function createBareServer({ logger, randomBytes, trustedProxies }: AdminServerParts): FastifyInstance {
  const validator = createRequestValidator();
  return fastify({
    // Without these, Fastify loads its default compilers, which are a fifth of its code.
    schemaController: {
      compilersFactory: {
        // The declared type knows only the compiler of Ajv.
        buildValidator: (() => validator) as never,
        // Response schemas describe; a serializer made from them would drop what they forgot.
        buildSerializer: () => () => (data) => JSON.stringify(data),
      },
    },
    loggerInstance: logger,
    // Changes are logged below; a line for each read would drown them.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => `req_${Buffer.from(randomBytes(8)).toString('hex')}`,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS },
    routerOptions: { maxParamLength: MAX_PARAM_CHARACTERS },
    forceCloseConnections: 'idle',
    frameworkErrors: (error, _request, reply) => {
      setSafeHeaders(reply);
      sendProblem(reply, describeRejectedRequest(error.statusCode ?? 400, error));
    },
    clientErrorHandler: answerBrokenRequest,
  });
}

function addHooks(app: FastifyInstance, parts: AdminServerParts): void {
  const { authenticate, inventory, allowedHosts, group } = parts;
  app.server.on('connection', (socket: Socket) => void socket.remoteAddress);
  app.addHook('onRequest', rejectUnknownPeer);
  app.addHook('onRequest', async (_request, reply) => setSafeHeaders(reply));
  app.addHook('onRequest', createAddressHook(parts.findClientAddress));
  app.addHook('onRequest', createHostHook(allowedHosts));
  app.addHook('onRequest', createForwardHook(group));
  app.addHook('onRequest', createAccessHook({ inventory, authenticate }));
  app.addHook('onResponse', async (request, reply) => {
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (reads || request.is404 || request.principal === null) return;
    const { kind, id, role } = request.principal;
    // The route and its parameters, never the URL as it came: its query may hold what does not belong there.
    const what = { method: request.method, route: request.routeOptions.url, params: request.params };
    const outcome = { status: reply.statusCode, durationMs: Math.round(reply.elapsedTime) };
    request.log.info(
      { [kind === 'token' ? 'token' : 'user']: id, role, address: request.ip, ...what, ...outcome },
      'management request',
    );
  });
}

/**
 * A connection that was reset has no address, but Node.js keeps one that was read before. A request whose connection was reset before
 * that is not taken: the audit log could not tell where it came from.
 */
async function rejectUnknownPeer({ socket }: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (socket.remoteAddress !== undefined) return;
  reply.hijack();
  socket.destroy();
}

/** Forbids sniffing, storing, framing and referring (threat model W1, W2). The dashboard, the only page, sets its own policy. */
function setSafeHeaders(reply: FastifyReply): void {
  reply.headers({
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    'cross-origin-resource-policy': 'same-origin',
  });
}

function createNotFoundHandler(app: FastifyInstance, senders: readonly PageSender[]) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const allowed = findMethods(app, request.url);
    // A route can also find nothing itself, such as a file of the dashboard.
    if (allowed.length > 0 && !allowed.includes(request.method)) {
      const detail = `${request.method} is not allowed here. Use ${allowed.join(', ')}.`;
      return sendProblem(reply.header('allow', allowed.join(', ')), describeProblem('method_not_allowed', detail));
    }
    if (senders.some((send) => send(request, reply))) return reply;
    return sendProblem(reply, describeProblem('not_found', 'Nothing is served here under this method and path.'));
  };
}

/** The methods under which a path is served. */
function findMethods({ accessTable }: FastifyInstance, url: string): string[] {
  const segments = url.split('?', 1)[0]!.split('/');
  const isServed = (pattern: string[]) =>
    pattern.length === segments.length &&
    pattern.every((part, i) => (part.startsWith(':') ? segments[i] !== '' : part === segments[i]));
  const rows = accessTable.filter((row) => isServed(row.url.split('/')));
  return [...new Set(rows.map(({ method }) => method))].sort();
}

/** For what is not even HTTP: no request exists, only a socket. */
function answerBrokenRequest(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return;
  const status = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
  const body = JSON.stringify(
    describeRejectedRequest(status, 'The request is not well-formed HTTP, or came too slowly.'),
  );
  const head = [`HTTP/1.1 ${status} Bad Request`, 'Content-Type: application/problem+json', 'Connection: close'];
  socket.end(`${[...head, `Content-Length: ${Buffer.byteLength(body)}`].join('\r\n')}\r\n\r\n${body}`);
}
