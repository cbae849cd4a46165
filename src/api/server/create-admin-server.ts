import type { Socket } from 'node:net';
import cookie from '@fastify/cookie';
import swagger from '@fastify/swagger';
import type { ConnectionError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fastify, LogController } from 'fastify';
import { auditChanges } from '../audit/audit-changes.ts';
import { registerAuditRoutes } from '../audit/audit-routes.ts';
import { type Authenticator, createAuthenticator } from '../auth/authenticator.ts';
import { registerAutomationEditRoutes } from '../automations/automation-edit-routes.ts';
import { registerAutomationRoutes } from '../automations/automation-routes.ts';
import { registerBacktestRoutes } from '../automations/backtest-routes.ts';
import { registerFilterRoutes } from '../automations/filter-routes.ts';
import { registerDeliveryRoutes } from '../deliveries/delivery-routes.ts';
import { AccessChanges, announceAccessChanges } from '../events/access-changes.ts';
import { registerEventRoutes } from '../events/event-routes.ts';
import type { WatchParts } from '../events/watch-principal.ts';
import { registerActivityRoutes } from '../factories/activity-routes.ts';
import { registerFactoryRoutes } from '../factories/factory-routes.ts';
import { registerHistoryRoutes } from '../factories/history-routes.ts';
import { describeApi } from '../openapi/openapi.ts';
import { COMPONENTS } from '../openapi/schemas.ts';
import { registerOidcRoutes, registerSignInWays } from '../openid/oidc-routes.ts';
import { createPageSender, type PageSender, registerDashboardFiles } from '../operation/dashboard-routes.ts';
import { registerIdRoutes } from '../operation/id-routes.ts';
import { registerOperationRoutes } from '../operation/operation-routes.ts';
import { registerSchemaRoutes } from '../operation/schema-routes.ts';
import { registerSchemeRoutes } from '../operation/scheme-routes.ts';
import { registerPlanRoutes } from '../reconciliations/plan-routes.ts';
import { registerReconciliationRoutes } from '../reconciliations/reconciliation-routes.ts';
import { registerRunRoutes } from '../runs/run-routes.ts';
import { registerWorkerRoutes } from '../runs/worker-routes.ts';
import { registerSecretRoutes } from '../secrets/secret-routes.ts';
import type { AdminServices } from '../services.ts';
import { registerSessionListRoutes } from '../sessions/session-list-routes.ts';
import { registerSessionRoutes } from '../sessions/session-routes.ts';
import { registerTokenRoutes } from '../tokens/token-routes.ts';
import { registerUserRoutes } from '../users/user-routes.ts';
import { registerPayloadKeyRoutes } from '../webhooks/payload-key-routes.ts';
import { registerWebhookEditRoutes } from '../webhooks/webhook-edit-routes.ts';
import { registerWebhookRoutes } from '../webhooks/webhook-routes.ts';
import { guardRegistration, PUBLIC } from './access-rules.ts';
import { answerConditionally } from './answer-conditionally.ts';
import { createHostHook } from './check-host.ts';
import { compressAnswers } from './compress-answers.ts';
import { API_PREFIX, createAccessHook } from './enforce-access.ts';
import { describeRefusedRequest, handleError } from './handle-error.ts';
import { handleIdempotencyKeys } from './idempotency.ts';
import { acceptOnlyJson, MAX_BODY_BYTES } from './parse-json-body.ts';
import { describeProblem, sendProblem } from './problem.ts';
import { createRequestValidator } from './request-validator.ts';

/** The admin listener: dashboard, management API, metrics and health. `listen` and `close` are the caller's. */
export function createAdminServer(parts: AdminServices): FastifyInstance {
  const changes = new AccessChanges();
  const services = { ...parts, ...announceAccessChanges(parts, changes) };
  const app = createBareServer(services);
  guardRegistration(app);
  app.decorateRequest('principal', null);
  app.decorateRequest('factory', null);
  acceptOnlyJson(app);
  app.setValidatorCompiler(createRequestValidator());
  // Response schemas describe; a serializer made from them would drop what they forgot.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  app.setErrorHandler(handleError);
  app.setNotFoundHandler(createNotFoundHandler(app, createPageSender(services)));
  const authenticate = createAuthenticator(services);
  addHooks(app, services, authenticate);
  auditChanges(app, services);
  handleIdempotencyKeys(app, services.answers);
  answerConditionally(app);
  compressAnswers(app);
  for (const [name, schema] of Object.entries(COMPONENTS)) app.addSchema({ $id: name, ...schema });
  void app.register(cookie);
  void app.register(swagger, describeApi(services.version));
  void app.register(async (scope) => registerOperationRoutes(scope, services));
  void app.register(async (scope) => registerOidcRoutes(scope, services));
  void app.register(async (scope) => registerDashboardFiles(scope, services));
  void app.register(async (scope) => registerApi(scope, services, { ...services, authenticate, changes }), {
    prefix: API_PREFIX,
  });
  return app;
}

// Slow and idle clients are cut off as on the ingress (threat model N2).
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 5_000;
/** The longest names are secrets' (128) and automations' (100); a percent-encoded byte takes three characters. */
const MAX_PARAM_CHARACTERS = 512;

function createBareServer({ logger, randomBytes, trustedProxies }: AdminServices): FastifyInstance {
  return fastify({
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
      sendProblem(reply, describeRefusedRequest(error.statusCode ?? 400, error));
    },
    clientErrorHandler: answerBrokenRequest,
  });
}

function addHooks(app: FastifyInstance, services: AdminServices, authenticate: Authenticator): void {
  app.addHook('onRequest', async (_request, reply) => setSafeHeaders(reply));
  app.addHook('onRequest', createHostHook(services.allowedHosts));
  app.addHook('onRequest', createAccessHook({ inventory: services.inventory, authenticate }));
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

function registerApi(scope: FastifyInstance, services: AdminServices, watch: WatchParts): void {
  registerFactoryRoutes(scope, services);
  registerReconciliationRoutes(scope, services);
  registerPlanRoutes(scope, services);
  registerWebhookRoutes(scope, services);
  registerDeliveryRoutes(scope, services);
  registerAutomationRoutes(scope, services);
  registerFilterRoutes(scope, services);
  registerRunRoutes(scope, services);
  registerWorkerRoutes(scope, services);
  registerIdRoutes(scope, services);
  registerSecretRoutes(scope, services);
  registerTokenRoutes(scope, services);
  registerUserRoutes(scope, services);
  registerSessionRoutes(scope, services);
  registerSessionListRoutes(scope, services);
  registerSignInWays(scope, services);
  registerAuditRoutes(scope, services);
  registerWebhookEditRoutes(scope, services);
  registerAutomationEditRoutes(scope, services);
  registerHistoryRoutes(scope, services);
  registerActivityRoutes(scope, services);
  registerPayloadKeyRoutes(scope, services);
  registerBacktestRoutes(scope, services);
  registerEventRoutes(scope, services, watch);
  registerSchemaRoutes(scope, services);
  registerSchemeRoutes(scope, services);
  scope.get(
    '/openapi.json',
    {
      config: { access: PUBLIC },
      schema: {
        tags: ['Operation'],
        summary: 'This document',
        response: { 200: { description: 'OpenAPI 3.1.', type: 'object' } },
      },
    },
    async () => scope.swagger(),
  );
}

/** Nothing but the dashboard is a page, which sets its own policy: not to be sniffed, stored, framed or referred from (threat model W1, W2). */
function setSafeHeaders(reply: FastifyReply): void {
  reply.headers({
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    'cross-origin-resource-policy': 'same-origin',
  });
}

function createNotFoundHandler(app: FastifyInstance, sendPage: PageSender) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const allowed = findMethods(app, request.url);
    // A route can also find nothing itself, such as a file of the dashboard.
    if (allowed.length > 0 && !allowed.includes(request.method)) {
      const detail = `${request.method} is not possible here. Use ${allowed.join(', ')}.`;
      return sendProblem(reply.header('allow', allowed.join(', ')), describeProblem('method_not_allowed', detail));
    }
    if (sendPage(request, reply)) return reply;
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
    describeRefusedRequest(status, 'The request is not well-formed HTTP, or came too slowly.'),
  );
  const head = [`HTTP/1.1 ${status} Bad Request`, 'Content-Type: application/problem+json', 'Connection: close'];
  socket.end(`${[...head, `Content-Length: ${Buffer.byteLength(body)}`].join('\r\n')}\r\n\r\n${body}`);
}
