import { fileURLToPath } from 'node:url';
import type { MessagePort } from 'node:worker_threads';
import type { ApiModules, ApiSettings } from '../api/api-modules.ts';
import { FailedAttempts } from '../api/auth/failed-attempts.ts';
import { PasswordAttempts } from '../api/auth/password-attempts.ts';
import { createPasswords } from '../api/auth/passwords.ts';
import { composeApi } from '../api/compose-api.ts';
import type { FactorySource } from '../api/factories/factory-source.ts';
import type { OpenIdSignIn } from '../api/openid/sign-in-oidc.ts';
import { createFastifyLogger } from '../api/server/fastify-logger.ts';
import { warnOfPlainText } from '../api/server/warn-of-plain-text.ts';
import { createLoginLink } from '../api/sessions/create-login-link.ts';
import { createBackfill } from '../api/webhooks/post-backfill.ts';
import { createTestDeliverySender } from '../api/webhooks/send-test-delivery.ts';
import type { Config, FactoryConfig } from '../config/config.ts';
import type { FindClientAddress } from '../domain/client-address.ts';
import type { IdSource, RandomBytes } from '../domain/ids.ts';
import type { AnswerStore } from '../domain/ports/access/idempotency.ts';
import type { AlertControl } from '../domain/ports/alerts/alert-control.ts';
import type { BackupControl } from '../domain/ports/backup-control.ts';
import type { InventoryReader } from '../domain/ports/definitions/inventory.ts';
import type { FactoryControl, ReconcileControl } from '../domain/ports/definitions/reconciler.ts';
import type { SharedCaptureControl } from '../domain/ports/deliveries/capture-control.ts';
import type { Doctor } from '../domain/ports/doctor.ts';
import type { EventFeed } from '../domain/ports/event-feed.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { MasterKeyControl } from '../domain/ports/master-key-control.ts';
import type { ReloadControl } from '../domain/ports/reload-control.ts';
import type { ReplicaGroup } from '../domain/ports/replicas.ts';
import type { SecretHistory, SecretStore } from '../domain/ports/secret-store.ts';
import type { Storage } from '../domain/ports/storage.ts';
import type { PullRequestReader } from '../domain/pull-request.ts';
import type { Clock } from '../domain/time/clock.ts';
import { createDeliveryDiagnosis } from '../ingress/diagnosis/diagnose-delivery.ts';
import { createUploadDiagnosis } from '../ingress/diagnosis/diagnose-upload.ts';
import { createDiagnosisThread } from '../ingress/diagnosis/diagnosis-thread.ts';
import { markBackfills } from '../ingress/log/backfill-marks.ts';
import { Connections } from '../ingress/transport/connections.ts';
import type { Health } from '../operations/health/health.ts';
import { ensureAdminToken } from '../operations/maintenance/admin-token.ts';
import type { Metrics } from '../operations/observability/metrics/metrics.ts';
import { createWebhookConnector } from '../outbound/connect/create-connector.ts';
import type { DataPaths } from '../platform/data-dir/data-paths.ts';
import { readBuildIdentity } from '../platform/files/build-identity.ts';
import { builtFile } from '../platform/files/package-files.ts';
import { readPackageVersion } from '../platform/files/package-version.ts';
import { listen, logInheritedSockets } from '../platform/listen.ts';
import type { FactoryEditor } from '../reconcile/edit/factory-editor.ts';
import { createInspector } from '../reconcile/inspection/create-inspector.ts';
import type { Dispatcher } from '../runs/dispatcher.ts';
import { createRunArtifacts } from '../runs/executors/files/run-artifacts.ts';
import type { RunLogs } from '../runs/executors/log/run-logs.ts';
import type { Ingress } from './create-ingress.ts';
import type { Lifetime } from './lifetime.ts';
import { listFactorySettings } from './push-trigger.ts';

/** The private listener. */
export interface Admin {
  /** Where it listens. */
  url: string;
  /** Is this the first start on this data directory? */
  isFirstStart: boolean;
  /** A login link for the person who started the daemon. It replaces the one before. */
  createStartLink(): Promise<string>;
}

const MINUTE_MS = 60_000;
/** On a clean stop, requests in progress have this time to be answered. */
const CLOSING = { quietCheckMs: 20, graceMs: 5_000, hurriedGraceMs: 1_000 };

/** The modules of the daemon that the admin listener shows and controls. */
export interface AdminParts {
  /** In effect when it is read: a reload changes it. */
  config: Config;
  reload: ReloadControl['reload'];
  paths: DataPaths;
  storage: Storage;
  /** As `StorageThread.openChannel`. */
  openChannel(): MessagePort;
  inventory: InventoryReader;
  secrets: SecretStore & SecretHistory;
  answers: AnswerStore;
  masterKey: MasterKeyControl;
  reconcile: ReconcileControl;
  factories: FactoryControl;
  editor: FactoryEditor;
  dispatcher: Dispatcher;
  runLogs: Pick<RunLogs, 'reader'>;
  ingress: Pick<Ingress, 'captures' | 'replays' | 'unloggedCounts' | 'backfillMarks' | 'verifyOriginal'>;
  /** Those of all replicas. */
  captures: SharedCaptureControl;
  ingressUrl: string;
  /** A socket to listen on instead of the configured address. */
  socket: number | null;
  events: EventFeed;
  health: Health;
  findClientAddress: FindClientAddress;
  /** Aborted when a stop has to hurry. */
  hurry: AbortSignal;
  metrics: Metrics;
  backups: BackupControl;
  doctor: Doctor;
  alerts: AlertControl;
  pullRequests: PullRequestReader;
  group: ReplicaGroup;
  /** Where browsers sign in; `null` if the configuration names no OpenID provider. */
  createOpenId(adminUrl: () => string): OpenIdSignIn | null;
  base: { clock: Clock; steadyClock: Clock; ids: IdSource; randomBytes: RandomBytes; logger: Logger };
}

/** Opens the private listener and makes sure that there is a way in. */
export async function openAdmin(parts: AdminParts, lifetime: Lifetime): Promise<Admin> {
  const { config, storage, paths, base } = parts;
  const { steadyClock: clock, ids, randomBytes, logger } = base;
  const { tokens, loginLinks } = storage;
  // A follower joins daemons that have a token.
  const isFirstStart =
    parts.group.isLeader &&
    (await ensureAdminToken({ tokens, clock, ids, randomBytes }, paths.adminToken, config.storage.type === 'postgres'));
  let url = '';
  const adminUrl = () => config.admin.url ?? url;
  const server = composeApi(collectModules(parts, adminUrl, lifetime));
  const connections = new Connections(server.server);
  server.server.on('request', (request, response) => connections.note(request.socket, response));
  // Fastify alone would wait for connections that never send a request, which browsers open in advance.
  lifetime.defer(() => connections.endWhile(server.close(), { ...CLOSING, hurry: parts.hurry }));
  const listening = await listen(
    'admin',
    parts.socket === null ? config.admin : { fd: parts.socket },
    server.server,
    (target) =>
      // A name that is not localhost, which Fastify would bind in addition. The address is in the line that reports the start.
      server.listen({ host: '', ...target, listenTextResolver: () => '' }),
  );
  url = listening.url;
  if (parts.socket !== null) logInheritedSockets('admin', config.admin, [url], logger);
  warnOfPlainText({ host: listening.host, url: config.admin.url }, logger);
  const linkParts = { loginLinks, adminUrl, clock, ids, randomBytes };
  return { url, isFirstStart, createStartLink: async () => (await createLoginLink(linkParts, 'start')).url };
}

function collectModules(parts: AdminParts, adminUrl: () => string, lifetime: Lifetime): ApiModules {
  const { config, storage, secrets, metrics, ingressUrl } = parts;
  const { clock, steadyClock, ids, randomBytes, logger } = parts.base;
  const { captures } = parts;
  const { captures: local, replays, unloggedCounts } = parts.ingress;
  const { dispatcher, reconcile, editor } = parts;
  const inventory = storage.inventoryReader;
  const baseUrl = () => config.baseUrl ?? ingressUrl;
  const inspection = createInspector(builtFile('reconcile/inspection/inspection-worker.js'), {
    config,
    openChannel: parts.openChannel,
    secrets,
  });
  lifetime.defer(() => inspection.close());
  const thread = createDiagnosisThread(builtFile('ingress/diagnosis/diagnosis-worker.js'));
  lifetime.defer(() => thread.close());
  return {
    settings: composeSettings(config, { adminUrl, baseUrl, findClientAddress: parts.findClientAddress }),
    storage,
    inventory: parts.inventory,
    secrets,
    reconcile,
    factories: parts.factories,
    editor,
    inspection,
    diagnosis: {
      diagnose: captures.shareDiagnosis(createDeliveryDiagnosis({ inventory, secrets, thread, captures: local })),
      conclude: createDeliveryDiagnosis({ inventory, secrets, thread, captures: { find: () => null } }),
      diagnoseUpload: createUploadDiagnosis({
        inventory,
        secrets,
        thread,
        clock,
        baseUrl,
        get attemptsPerMinute() {
          return config.limits.failedAuthPerMinute;
        },
      }),
    },
    ingress: {
      captures,
      replays: replays.control,
      unloggedCounts,
      sendTestDelivery: createTestDeliverySender({ secrets, clock, ids, ingressUrl, baseUrl }),
      backfill: createBackfill({
        secrets,
        clock,
        ids,
        ingressUrl,
        baseUrl,
        verifyOriginal: parts.ingress.verifyOriginal,
        marks: markBackfills(parts.ingress.backfillMarks),
      }),
      connector: createWebhookConnector({
        inventory,
        secrets,
        baseUrl,
        listSettings: (webhook, provider) => listFactorySettings(config.factories, webhook, provider),
        userAgent: `dockbell/${readPackageVersion()}`,
        nowMs: () => clock.wallMs(),
      }),
    },
    runs: {
      control: dispatcher,
      workers: dispatcher.workers,
      drain: dispatcher.drain,
      pauses: dispatcher.pauses,
      logs: parts.runLogs.reader,
      artifacts: createRunArtifacts(config.runsDir),
    },
    events: parts.events,
    reload: parts.reload,
    operation: {
      health: parts.health,
      renderMetrics: () => metrics.render(),
      countSignIn: metrics.countSignIn,
      backups: parts.backups,
      doctor: parts.doctor,
    },
    alerts: parts.alerts,
    pullRequests: parts.pullRequests,
    group: parts.group,
    signIn: {
      passwords: createPasswords(),
      passwordAttempts: new PasswordAttempts(clock),
      failedAttempts: new FailedAttempts(
        {
          name: 'failed-authentications',
          get limit() {
            return config.limits.failedAuthPerMinute;
          },
          windowMs: MINUTE_MS,
        },
        clock,
      ),
      openId: parts.createOpenId(adminUrl),
    },
    answers: parts.answers,
    masterKey: parts.masterKey,
    base: { clock: steadyClock, ids, randomBytes, logger: createFastifyLogger(logger) },
  };
}

function composeSettings(
  config: Config,
  addresses: Pick<ApiSettings, 'adminUrl' | 'baseUrl' | 'findClientAddress'>,
): ApiSettings {
  const { url, allowedHosts, sessionIdleMs, sessionLifetimeMs, openMetrics } = config.admin;
  return {
    ...addresses,
    findSource: (name) => describeSource(config.factories.find((factory) => factory.name === name)),
    sessionIdleMs,
    sessionLifetimeMs,
    openMetrics,
    allowedHosts: url === null ? allowedHosts : [...allowedHosts, new URL(url).host],
    trustedProxies: config.trustedProxies,
    dashboardDir: fileURLToPath(builtFile('dashboard')),
    docsDir: fileURLToPath(builtFile('docs')),
    build: readBuildIdentity(),
  };
}

function describeSource(factory: FactoryConfig | undefined): FactorySource | null {
  if (factory === undefined) return null;
  const { source, pullRequests } = factory;
  if (source.type !== 'repository')
    return { type: source.type, url: null, branch: null, path: null, pullRequests: false };
  const { type, url, branch, path } = source;
  return { type, url, branch, path, pullRequests: pullRequests !== null };
}
