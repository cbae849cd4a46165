// The room of the management API. In: HTTP requests of the admin listener. Out: answers with a schema, entries of the audit
// log.
// This file lists the resources, and `api-modules.ts` what they need. A resource is a folder: `*-routes.ts` has the routes
// with access, schema and summary, `present-*.ts` what they answer.
// Next: `server/create-admin-server.ts` for what all routes share, `auth/authenticator.ts` for who asks, `openapi/openapi.ts`
// for the document that follows from the routes.

import type { FastifyInstance } from 'fastify';
import type { StoryParts } from '../operations/story/story-parts.ts';
import { alertsPlugin } from './alerts/alert-routes.ts';
import type { ApiModules } from './api-modules.ts';
import { auditPlugin } from './audit/audit-routes.ts';
import { listTouches } from './audit/list-touches.ts';
import { createAuthenticator } from './auth/authenticator.ts';
import { registerAutomationEditRoutes } from './automations/automation-edit-routes.ts';
import { registerAutomationRoutes } from './automations/automation-routes.ts';
import { registerBacktestRoutes } from './automations/backtest-routes.ts';
import { registerFilterRoutes } from './automations/filter-routes.ts';
import { deliveriesPlugin } from './deliveries/delivery-routes.ts';
import { explainWholeDelivery } from './deliveries/explain-delivery.ts';
import { AccessChanges, type AccessTables, announceAccessChanges } from './events/access-changes.ts';
import { eventsPlugin } from './events/event-routes.ts';
import { registerActivityRoutes } from './factories/activity-routes.ts';
import { registerFactoryRoutes } from './factories/factory-routes.ts';
import { registerHistoryRoutes } from './factories/history-routes.ts';
import { registerPauseRoutes } from './factories/pause-routes.ts';
import { registerPullRequestRoutes } from './factories/pull-request-routes.ts';
import { openIdPlugin, signInWaysPlugin } from './openid/oidc-routes.ts';
import { backupPlugin } from './operation/backup-routes.ts';
import { catalogPlugin } from './operation/catalog-routes.ts';
import { dashboardPlugin } from './operation/dashboard-routes.ts';
import { doctorPlugin } from './operation/doctor-routes.ts';
import { registerDrainRoutes } from './operation/drain-routes.ts';
import { operationPlugin } from './operation/operation-routes.ts';
import { registerReloadRoute } from './operation/reload-route.ts';
import { replicasPlugin } from './operation/replica-routes.ts';
import { registerPlanRoutes } from './reconciliations/plan-routes.ts';
import { registerReconciliationRoutes } from './reconciliations/reconciliation-routes.ts';
import { replaysPlugin } from './replays/replay-routes.ts';
import { registerArtifactRoutes } from './runs/artifact-routes.ts';
import { registerPostRoutes } from './runs/post-routes.ts';
import { registerRunRoutes } from './runs/run-routes.ts';
import { registerWorkerList } from './runs/worker-list-routes.ts';
import { registerWorkerRoutes } from './runs/worker-routes.ts';
import { masterKeyPlugin } from './secrets/master-key-routes.ts';
import { secretsPlugin } from './secrets/secret-routes.ts';
import { createAdminServer } from './server/create-admin-server.ts';
import { API_PREFIX } from './server/enforce-access.ts';
import { registerSessionListRoutes } from './sessions/session-list-routes.ts';
import { registerSessionRoutes } from './sessions/session-routes.ts';
import { tokensPlugin } from './tokens/token-routes.ts';
import { usersPlugin } from './users/user-routes.ts';
import { registerBackfill } from './webhooks/backfill-route.ts';
import { registerConnectionRoutes } from './webhooks/connection-routes.ts';
import { type CountRequests, createRequestCounter, NO_REQUESTS } from './webhooks/count-requests.ts';
import { registerPayloadKeyRoutes } from './webhooks/payload-key-routes.ts';
import { registerWebhookEditRoutes } from './webhooks/webhook-edit-routes.ts';
import { registerWebhookRoutes } from './webhooks/webhook-routes.ts';
import { whyPlugin } from './why/why-routes.ts';

/**
 * The server of the admin listener with every resource of the management API. `listen` and `close` are the caller's.
 *
 * The plugins of the resources are called, not registered: they share the context of their prefix. With a context for each,
 * building the server takes a fifth more processor time.
 */
export function composeApi(modules: ApiModules): FastifyInstance {
  const { settings, storage, inventory, operation, signIn, base } = modules;
  const { clock, ids, randomBytes, logger } = base;
  const { trustedProxies, findClientAddress, allowedHosts, adminUrl, sessionIdleMs, dashboardDir, docsDir, build } =
    settings;
  const changes = new AccessChanges();
  const tables = announceAccessChanges(storage, changes);
  const { tokens, sessions } = tables;
  const { runTokens, auditLog } = storage;
  const { failedAttempts, openId } = signIn;
  const authenticate = createAuthenticator({
    tokens,
    runTokens,
    sessions,
    failedAttempts,
    sessionIdleMs,
    adminUrl,
    clock,
    logger,
  });
  const app = createAdminServer({
    authenticate,
    inventory,
    audit: { auditLog, countSignIn: operation.countSignIn, clock, ids },
    answers: modules.answers,
    randomBytes,
    trustedProxies,
    findClientAddress,
    allowedHosts,
    dashboardDir,
    docsDir,
    version: build.version,
    group: modules.group,
    logger,
  });
  const sessionParts = collectSessionParts(modules, tables);
  void app.register(async (root) => {
    const { health, renderMetrics } = operation;
    operationPlugin(root, { build, health, renderMetrics, openMetrics: settings.openMetrics });
    openIdPlugin(root, { openId, ...sessionParts });
    dashboardPlugin(root, { dashboardDir });
  });
  const registerAll = async (api: FastifyInstance) => {
    registerDefinitions(api, modules, changes);
    registerDeliveries(api, modules);
    registerRuns(api, modules);
    registerSecrets(api, modules);
    registerAccess(api, modules, sessionParts);
    const watch = { authenticate, changes, clock };
    eventsPlugin(api, { events: modules.events, inventory, runControl: modules.runs.control, watch });
    registerOperation(api, modules);
  };
  void app.register(registerAll, { prefix: API_PREFIX });
  return app;
}

type SessionParts = ReturnType<typeof collectSessionParts>;

function collectSessionParts(
  { settings, storage, signIn, events, base }: ApiModules,
  { tokens, sessions, users }: AccessTables,
) {
  const { sessionIdleMs, sessionLifetimeMs, adminUrl } = settings;
  const { passwords, passwordAttempts, failedAttempts } = signIn;
  const { clock, ids, randomBytes } = base;
  return {
    tokens,
    sessions,
    users,
    loginLinks: storage.loginLinks,
    passwords,
    passwordAttempts,
    failedAttempts,
    sessionIdleMs,
    sessionLifetimeMs,
    adminUrl,
    events,
    clock,
    ids,
    randomBytes,
  };
}

function registerDefinitions(api: FastifyInstance, modules: ApiModules, changes: AccessChanges): void {
  registerFactories(api, modules, changes);
  registerReconciliations(api, modules);
  registerWebhooks(api, modules);
  registerAutomations(api, modules);
}

/** Factories: their state, their activity, their revisions. */
function registerFactories(api: FastifyInstance, modules: ApiModules, changes: AccessChanges): void {
  const { storage, inventory, editor, reconcile, factories, runs, group, settings, base } = modules;
  const parts = {
    inventory,
    health: { inventory, runs: storage.runReader, countRequests: composeRequestCounter(modules), group },
    activity: storage.activityReader,
    reconcile,
    factories,
    onLimitsChanged: () => changes.announce(),
    editor,
    findSource: settings.findSource,
    pauses: runs.pauses,
    clock: base.clock,
  };
  registerFactoryRoutes(api, parts);
  registerHistoryRoutes(api, parts);
  registerActivityRoutes(api, parts);
  registerPauseRoutes(api, parts);
  registerPullRequestRoutes(api, modules.pullRequests);
}

/** Reconciliations: their history, one on request, and what one would change. */
function registerReconciliations(api: FastifyInstance, modules: ApiModules): void {
  const { storage, inventory, reconcile, inspection, settings, base } = modules;
  registerReconciliationRoutes(api, {
    reconciliations: storage.reconciliationReader,
    reconcile,
    clock: base.clock,
  });
  registerPlanRoutes(api, { planPreviewer: inspection.planPreviewer, inventory, baseUrl: settings.baseUrl });
}

/** Webhooks: reads, edits, test deliveries, capture windows, backfills, webhooks at providers. */
function registerWebhooks(api: FastifyInstance, modules: ApiModules): void {
  const { storage, inventory, editor, inspection, ingress, settings, base } = modules;
  const { captures, connector, sendTestDelivery } = ingress;
  const { baseUrl, findSource } = settings;
  const countRequests = composeRequestCounter(modules);
  const surroundings = { baseUrl, findSource, captures, countRequests };
  const unlogged = ingress.unloggedCounts;
  registerWebhookRoutes(api, { inventory, captures, surroundings, sendTestDelivery, unlogged, clock: base.clock });
  registerWebhookEditRoutes(api, { inventory, editor, findSource, surroundings });
  registerPayloadKeyRoutes(api, { inventory, inspector: inspection.inspector });
  registerBackfill(api, { inventory, deliveries: storage.deliveryReader, backfill: ingress.backfill });
  registerConnectionRoutes(api, { inventory, connector });
}

/** Automations: reads, edits, and tests of their triggers. */
function registerAutomations(api: FastifyInstance, modules: ApiModules): void {
  const { storage, inventory, editor, inspection, runs, settings, base } = modules;
  const parts = {
    inventory,
    editor,
    runs: storage.runReader,
    deliveries: storage.deliveryReader,
    inspector: inspection.inspector,
    backtester: inspection.backtester,
    findSource: settings.findSource,
    pauses: runs.pauses,
    clock: base.clock,
  };
  registerAutomationRoutes(api, parts);
  registerAutomationEditRoutes(api, parts);
  registerFilterRoutes(api, parts);
  registerBacktestRoutes(api, parts);
}

function registerDeliveries(api: FastifyInstance, modules: ApiModules): void {
  const { storage, inventory, diagnosis, ingress, inspection } = modules;
  deliveriesPlugin(api, {
    inventory,
    deliveries: storage.deliveryReader,
    inspector: inspection.inspector,
    handshakes: storage.handshakeLog,
    replays: ingress.replays,
    diagnose: diagnosis.diagnose,
  });
  replaysPlugin(api, {
    inventory,
    deliveries: storage.deliveryReader,
    replays: storage.replays,
    control: ingress.replays,
  });
}

/** Runs: reads, cancel and retry, and the routes for workers. */
function registerRuns(api: FastifyInstance, modules: ApiModules): void {
  const { storage, runs, group, settings } = modules;
  const parts = {
    runs: storage.runReader,
    runControl: runs.control,
    runLogs: runs.logs,
    artifacts: runs.artifacts,
    group,
    notices: storage.noticeQueue,
    workers: runs.workers,
    findSource: settings.findSource,
  };
  registerRunRoutes(api, parts);
  registerArtifactRoutes(api, parts);
  registerPostRoutes(api, parts);
  registerWorkerRoutes(api, parts);
  registerWorkerList(api, runs.workers);
}

function registerSecrets(api: FastifyInstance, modules: ApiModules): void {
  const { storage, inventory, secrets, diagnosis, alerts, masterKey } = modules;
  secretsPlugin(api, { secrets, inventory, diagnoseUpload: diagnosis.diagnoseUpload });
  alertsPlugin(api, { alerts, store: storage.alertStore });
  masterKeyPlugin(api, masterKey);
}

/** Who may use the API: tokens, users, their sessions, and what they did. */
function registerAccess(api: FastifyInstance, modules: ApiModules, parts: SessionParts): void {
  const { storage, inventory, signIn } = modules;
  tokensPlugin(api, { ...parts, inventory });
  usersPlugin(api, { ...parts, inventory });
  registerSessionRoutes(api, parts);
  registerSessionListRoutes(api, parts);
  signInWaysPlugin(api, { openId: signIn.openId });
  auditPlugin(api, storage.auditLog);
}

function registerOperation(api: FastifyInstance, modules: ApiModules): void {
  const { storage, runs, operation, group } = modules;
  registerDrainRoutes(api, runs.drain);
  registerReloadRoute(api, modules.reload);
  backupPlugin(api, operation.backups);
  doctorPlugin(api, operation.doctor);
  replicasPlugin(api, group);
  catalogPlugin(api, storage.idFinder);
  whyPlugin(api, collectStoryParts(modules));
}

function composeRequestCounter({ storage, ingress, base }: ApiModules): CountRequests {
  return createRequestCounter(storage.activityReader, ingress.unloggedCounts, storage.deliveryReader, base.clock);
}

function collectStoryParts(modules: ApiModules): StoryParts {
  const { storage, inventory, secrets, reconcile, inspection, diagnosis, runs, settings, base } = modules;
  const countRequests = composeRequestCounter(modules);
  const explained = { deliveries: storage.deliveryReader, inspector: inspection.inspector };
  return {
    inventory,
    history: storage.definitionHistory,
    deliveries: storage.deliveryReader,
    replays: storage.replays,
    runs: storage.runReader,
    runControl: runs.control,
    pauses: runs.pauses,
    reconciliations: storage.reconciliationReader,
    reconcile,
    unlogged: modules.ingress.unloggedCounts,
    idFinder: storage.idFinder,
    secrets,
    versions: storage.sealedSecrets,
    inspector: inspection.inspector,
    requests: async ({ factory, uid }) => (await countRequests(factory)).get(uid) ?? NO_REQUESTS,
    decisions: (delivery) => explainWholeDelivery(explained, delivery),
    diagnose: diagnosis.diagnose,
    conclude: diagnosis.conclude,
    touches: (object, limit) => listTouches(storage.auditLog, object, limit),
    isConfigured: (factory) => settings.findSource(factory) !== null,
    nowMs: () => base.clock.wallMs(),
  };
}
