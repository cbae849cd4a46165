import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { SignInMethod } from '../domain/audit.ts';
import type { BuildIdentity } from '../domain/build-identity.ts';
import type { FindClientAddress } from '../domain/client-address.ts';
import type { IdSource, RandomBytes } from '../domain/ids.ts';
import type { AnswerStore } from '../domain/ports/access/idempotency.ts';
import type { AlertControl } from '../domain/ports/alerts/alert-control.ts';
import type { BackupControl } from '../domain/ports/backup-control.ts';
import type { InventoryReader } from '../domain/ports/definitions/inventory.ts';
import type { FactoryControl, ReconcileControl } from '../domain/ports/definitions/reconciler.ts';
import type { BackfillControl } from '../domain/ports/deliveries/backfill-control.ts';
import type { CaptureControl } from '../domain/ports/deliveries/capture-control.ts';
import type { ReplayControl } from '../domain/ports/deliveries/replay-control.ts';
import type { UnloggedCounts } from '../domain/ports/deliveries/unlogged-counts.ts';
import type { Doctor } from '../domain/ports/doctor.ts';
import type { EventFeed } from '../domain/ports/event-feed.ts';
import type { MasterKeyControl } from '../domain/ports/master-key-control.ts';
import type { SignInOutcome } from '../domain/ports/metrics.ts';
import type { ReloadControl } from '../domain/ports/reload-control.ts';
import type { ReplicaGroup } from '../domain/ports/replicas.ts';
import type { DrainControl } from '../domain/ports/runs/drain-control.ts';
import type { RunLogReader } from '../domain/ports/runs/executor.ts';
import type { PauseControl } from '../domain/ports/runs/pause-control.ts';
import type { RunArtifacts } from '../domain/ports/runs/run-artifacts.ts';
import type { RunControl } from '../domain/ports/runs/run-control.ts';
import type { WorkerControl } from '../domain/ports/runs/worker-control.ts';
import type { SecretStore } from '../domain/ports/secret-store.ts';
import type { Storage } from '../domain/ports/storage.ts';
import type { WebhookConnector } from '../domain/ports/webhook-connector.ts';
import type { PullRequestReader } from '../domain/pull-request.ts';
import type { Clock } from '../domain/time/clock.ts';
import type { StoryParts } from '../operations/story/story-parts.ts';
import type { FactoryEditor } from '../reconcile/edit/factory-editor.ts';
import type { InspectionThreads } from '../reconcile/inspection/create-inspector.ts';
import { alertsPlugin } from './alerts/alert-routes.ts';
import { auditPlugin } from './audit/audit-routes.ts';
import { listTouches } from './audit/list-touches.ts';
import { createAuthenticator } from './auth/authenticator.ts';
import type { FailedAttempts } from './auth/failed-attempts.ts';
import type { PasswordAttempts } from './auth/password-attempts.ts';
import type { Passwords } from './auth/passwords.ts';
import { automationsPlugin } from './automations/automations-plugin.ts';
import { type DeliveryRouteParts, deliveriesPlugin } from './deliveries/delivery-routes.ts';
import { explainWholeDelivery } from './deliveries/explain-delivery.ts';
import { AccessChanges, announceAccessChanges } from './events/access-changes.ts';
import { eventsPlugin } from './events/event-routes.ts';
import { factoriesPlugin } from './factories/factories-plugin.ts';
import type { FindSource } from './factories/factory-source.ts';
import { openIdPlugin, signInWaysPlugin } from './openid/oidc-routes.ts';
import type { OpenIdSignIn } from './openid/sign-in-oidc.ts';
import { backupPlugin } from './operation/backup-routes.ts';
import { catalogPlugin } from './operation/catalog-plugin.ts';
import { dashboardPlugin } from './operation/dashboard-routes.ts';
import { doctorPlugin } from './operation/doctor-routes.ts';
import { registerDrainRoutes } from './operation/drain-routes.ts';
import { type HealthCheck, operationPlugin } from './operation/operation-routes.ts';
import { registerReloadRoute } from './operation/reload-route.ts';
import { replicasPlugin } from './operation/replica-routes.ts';
import { reconciliationsPlugin } from './reconciliations/reconciliations-plugin.ts';
import { replaysPlugin } from './replays/replay-routes.ts';
import { runsPlugin } from './runs/runs-plugin.ts';
import { masterKeyPlugin } from './secrets/master-key-routes.ts';
import { type SecretRouteParts, secretsPlugin } from './secrets/secret-routes.ts';
import { createAdminServer } from './server/create-admin-server.ts';
import { API_PREFIX } from './server/enforce-access.ts';
import { sessionsPlugin } from './sessions/sessions-plugin.ts';
import { tokensPlugin } from './tokens/token-routes.ts';
import { usersPlugin } from './users/user-routes.ts';
import { type CountRequests, createRequestCounter, NO_REQUESTS } from './webhooks/count-requests.ts';
import type { SendTestDelivery } from './webhooks/send-test-delivery.ts';
import { webhooksPlugin } from './webhooks/webhooks-plugin.ts';
import { whyPlugin } from './why/why-routes.ts';

/** What the configuration says about the admin listener, and where it is reached. */
export interface ApiSettings {
  /** Where browsers reach the admin listener, without a slash at its end. Known only once it listens. */
  adminUrl(): string;
  /** Where senders reach the ingress, without a slash at its end. Known only once it listens. */
  baseUrl(): string;
  findSource: FindSource;
  sessionIdleMs: number;
  sessionLifetimeMs: number;
  /** May `/metrics` be read without a token? */
  openMetrics: boolean;
  allowedHosts: readonly string[];
  trustedProxies: readonly string[];
  findClientAddress: FindClientAddress;
  /** The folder of the built dashboard. */
  dashboardDir: string;
  /** The folder of the built documentation. */
  docsDir: string;
  build: BuildIdentity;
}

/** The modules of a daemon that the management API shows and controls. */
export interface ApiModules {
  settings: ApiSettings;
  storage: Storage;
  /** What is applied, with the conditions of this moment. */
  inventory: InventoryReader;
  secrets: SecretStore;
  reconcile: ReconcileControl;
  factories: FactoryControl;
  editor: FactoryEditor;
  inspection: Pick<InspectionThreads, 'planPreviewer' | 'backtester' | 'inspector'>;
  diagnosis: Pick<DeliveryRouteParts, 'diagnose'> &
    Pick<SecretRouteParts, 'diagnoseUpload'> &
    Pick<StoryParts, 'conclude'>;
  ingress: {
    captures: CaptureControl;
    replays: ReplayControl;
    unloggedCounts: Pick<UnloggedCounts, 'list'>;
    sendTestDelivery: SendTestDelivery;
    backfill: BackfillControl;
    connector: WebhookConnector;
  };
  runs: {
    control: RunControl;
    workers: WorkerControl;
    drain: DrainControl;
    pauses: PauseControl;
    logs: RunLogReader;
    artifacts: RunArtifacts;
  };
  events: EventFeed;
  reload: ReloadControl['reload'];
  operation: {
    health: HealthCheck;
    /** The metrics in the Prometheus text format. */
    renderMetrics(): Promise<string>;
    countSignIn(method: SignInMethod, outcome: SignInOutcome): void;
    backups: BackupControl;
    doctor: Doctor;
  };
  signIn: {
    passwords: Passwords;
    passwordAttempts: PasswordAttempts;
    /** Failed attempts to authenticate, by client address. */
    failedAttempts: FailedAttempts;
    /** `null` if no OpenID provider is configured. */
    openId: OpenIdSignIn | null;
  };
  alerts: AlertControl;
  pullRequests: PullRequestReader;
  group: ReplicaGroup;
  answers: AnswerStore;
  masterKey: MasterKeyControl;
  base: { clock: Clock; ids: IdSource; randomBytes: RandomBytes; logger: FastifyBaseLogger };
}

/**
 * The server of the admin listener with every resource of the management API. `listen` and `close` are the caller's.
 *
 * The plugins of the resources are called, not registered: they share the context of their prefix. With a context for each,
 * building the server takes a fifth more processor time.
 */
export function composeApi(modules: ApiModules): FastifyInstance {
  const { settings, storage, inventory, answers, operation, signIn, base } = modules;
  const { clock, ids, randomBytes, logger } = base;
  const { trustedProxies, findClientAddress, allowedHosts, adminUrl, sessionIdleMs, dashboardDir, docsDir, build } =
    settings;
  const { failedAttempts, openId } = signIn;
  const changes = new AccessChanges();
  const tables = announceAccessChanges(storage, changes);
  const { tokens, sessions, users } = tables;
  const authenticate = createAuthenticator({
    tokens,
    runTokens: storage.runTokens,
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
    audit: { auditLog: storage.auditLog, countSignIn: operation.countSignIn, clock, ids },
    answers,
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
  const { health, renderMetrics } = operation;
  const openingSessions = {
    sessions,
    sessionLifetimeMs: settings.sessionLifetimeMs,
    adminUrl,
    clock,
    ids,
    randomBytes,
  };
  void app.register(async (root) => {
    operationPlugin(root, { build, health, renderMetrics, openMetrics: settings.openMetrics });
    openIdPlugin(root, { openId, users, failedAttempts, ...openingSessions });
    dashboardPlugin(root, { dashboardDir });
  });
  void app.register(
    async (api) => {
      registerDefinitions(api, modules, changes);
      registerDeliveriesAndRuns(api, modules);
      secretsPlugin(api, {
        secrets: modules.secrets,
        inventory,
        diagnoseUpload: modules.diagnosis.diagnoseUpload,
      });
      alertsPlugin(api, { alerts: modules.alerts, store: storage.alertStore });
      masterKeyPlugin(api, { masterKey: modules.masterKey });
      tokensPlugin(api, { tokens, inventory, clock, ids, randomBytes });
      usersPlugin(api, { users, passwords: signIn.passwords, inventory, clock, ids });
      sessionsPlugin(api, {
        ...openingSessions,
        sessionIdleMs,
        users,
        tokens,
        loginLinks: storage.loginLinks,
        passwords: signIn.passwords,
        passwordAttempts: signIn.passwordAttempts,
        failedAttempts,
        events: modules.events,
      });
      signInWaysPlugin(api, { openId });
      auditPlugin(api, { auditLog: storage.auditLog });
      eventsPlugin(api, {
        events: modules.events,
        inventory,
        runControl: modules.runs.control,
        watch: { authenticate, changes, clock },
      });
      registerDrainRoutes(api, modules.runs.drain);
      registerReloadRoute(api, modules.reload);
      backupPlugin(api, { backups: operation.backups });
      doctorPlugin(api, { doctor: operation.doctor });
      replicasPlugin(api, { group: modules.group });
      catalogPlugin(api, { idFinder: storage.idFinder });
      whyPlugin(api, { story: collectStoryParts(modules) });
    },
    { prefix: API_PREFIX },
  );
  return app;
}

function registerDefinitions(api: FastifyInstance, modules: ApiModules, changes: AccessChanges): void {
  const { storage, inventory, editor, reconcile, inspection, base, ingress } = modules;
  const { findSource, baseUrl } = modules.settings;
  const { clock } = base;
  const runs = storage.runReader;
  const countRequests = composeRequestCounter(modules);
  factoriesPlugin(api, {
    inventory,
    health: { inventory, runs, countRequests, group: modules.group },
    activity: storage.activityReader,
    reconcile,
    factories: modules.factories,
    onLimitsChanged: () => changes.announce(),
    editor,
    findSource,
    pauses: modules.runs.pauses,
    pullRequests: modules.pullRequests,
    clock,
  });
  reconciliationsPlugin(api, {
    reconciliations: storage.reconciliationReader,
    reconcile,
    planPreviewer: inspection.planPreviewer,
    inventory,
    baseUrl,
    clock,
  });
  webhooksPlugin(api, {
    inventory,
    editor,
    inspector: inspection.inspector,
    captures: ingress.captures,
    unlogged: ingress.unloggedCounts,
    clock,
    sendTestDelivery: ingress.sendTestDelivery,
    deliveries: storage.deliveryReader,
    backfill: ingress.backfill,
    connector: ingress.connector,
    findSource,
    surroundings: { baseUrl, findSource, captures: ingress.captures, countRequests },
  });
  automationsPlugin(api, {
    inventory,
    editor,
    runs,
    deliveries: storage.deliveryReader,
    inspector: inspection.inspector,
    backtester: inspection.backtester,
    findSource,
    pauses: modules.runs.pauses,
    clock,
  });
}

function registerDeliveriesAndRuns(api: FastifyInstance, modules: ApiModules): void {
  const { storage, inventory, diagnosis, ingress, inspection, runs } = modules;
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
  runsPlugin(api, {
    runs: storage.runReader,
    runControl: runs.control,
    runLogs: runs.logs,
    artifacts: runs.artifacts,
    group: modules.group,
    notices: storage.noticeQueue,
    workers: runs.workers,
    findSource: modules.settings.findSource,
  });
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
