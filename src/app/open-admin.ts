import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
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
import { listFactorySettings } from '../config/push-trigger.ts';
import type { ClientAddresses } from '../domain/client-address.ts';
import type { ReloadControl } from '../domain/ports/reload-control.ts';
import { systemClock } from '../domain/time/clock.ts';
import { createDeliveryDiagnosis } from '../ingress/diagnosis/diagnose-delivery.ts';
import { createUploadDiagnosis } from '../ingress/diagnosis/diagnose-upload.ts';
import { createDiagnosisThread } from '../ingress/diagnosis/diagnosis-thread.ts';
import { markBackfills } from '../ingress/log/backfill-marks.ts';
import type { UrlProbes } from '../ingress/log/url-probes.ts';
import { Connections } from '../ingress/transport/connections.ts';
import { controlFactories } from '../operations/control-factories.ts';
import { createDoctor } from '../operations/doctor/create-doctor.ts';
import { ensureAdminToken } from '../operations/maintenance/admin-token.ts';
import type { Alerts } from '../outbound/alerts/create-alerts.ts';
import { createWebhookConnector } from '../outbound/connect/create-connector.ts';
import { builtFile } from '../platform/files/package-files.ts';
import { readPackageVersion } from '../platform/files/package-version.ts';
import { listen, logInheritedSockets } from '../platform/listen.ts';
import { createInspector } from '../reconcile/inspection/create-inspector.ts';
import { createRunArtifacts } from '../runs/executors/files/run-artifacts.ts';
import type { Replicas } from '../storage/replicas/join-replicas.ts';
import { waitForReplicas } from '../storage/replicas/wait-for-replicas.ts';
import type { DaemonObservers } from './observe-daemon.ts';
import type { DaemonState } from './open-daemon-state.ts';
import type { Definitions } from './open-definitions.ts';
import type { openHealth } from './open-health.ts';
import type { openReceiving } from './open-receiving.ts';
import type { openRuns } from './open-runs.ts';

/** The private listener. What it returns is known after the start. */
export interface Admin {
  /** Is this the first start on this data directory? */
  isFirstStart(): boolean;
  /** A login link for the person who started the daemon. It replaces the one before. */
  createStartLink(): Promise<string>;
}

const MINUTE_MS = 60_000;
/** On a clean stop, requests in progress have this time to be answered. */
const CLOSING = { quietCheckMs: 20, graceMs: 5_000, hurriedGraceMs: 1_000 };

/** The modules of the daemon that the admin listener shows and controls. */
export interface AdminParts {
  replicas: Replicas;
  observers: DaemonObservers;
  definitions: Definitions;
  runs: Awaited<ReturnType<typeof openRuns>>;
  health: ReturnType<typeof openHealth>;
  receiving: ReturnType<typeof openReceiving>;
  alerts: Alerts;
  urlProbes: UrlProbes;
  clientAddresses: ClientAddresses;
  reload: ReloadControl['reload'];
}

type CreateOpenId = (adminUrl: () => string) => OpenIdSignIn | null;

/** Adds the private listener. Its start makes sure that there is a way in. */
export async function openAdmin(state: DaemonState, given: AdminParts): Promise<Admin> {
  const { config, storage, paths, addresses, sockets, hurry, steadyClock: clock, ids, parts, logger } = state;
  const socket = sockets.admin;
  const createOpenId = await prepareOpenId(state);
  let isFirstStart = false;
  const adminUrl = () => config.admin.url ?? addresses.admin;
  const server = composeApi(collectModules(state, given, { adminUrl, openId: createOpenId(adminUrl) }));
  const connections = new Connections(server.server);
  server.server.on('request', (request, response) => connections.note(request.socket, response));
  const start = async () => {
    const { tokens } = storage;
    // A follower joins daemons that have a token.
    isFirstStart =
      given.replicas.group.isLeader &&
      (await ensureAdminToken(
        { tokens, clock, ids, randomBytes },
        paths.adminToken,
        config.storage.type === 'postgres',
      ));
    const target = socket === null ? config.admin : { fd: socket };
    // A name that is not localhost, which Fastify would bind in addition. The address is in the line that reports the start.
    const { url, host } = await listen('admin', target, server.server, (bound) =>
      server.listen({ host: '', ...bound, listenTextResolver: () => '' }),
    );
    addresses.admin = url;
    if (socket !== null) logInheritedSockets('admin', config.admin, [url], logger);
    warnOfPlainText({ host, url: config.admin.url }, logger);
  };
  parts.add({
    name: 'admin listener',
    start,
    // Fastify alone would wait for connections that never send a request, which browsers open in advance.
    stop: () => connections.endWhile(server.close(), { ...CLOSING, hurry: hurry.signal }),
  });
  const linkParts = { loginLinks: storage.loginLinks, adminUrl, clock, ids, randomBytes };
  return {
    isFirstStart: () => isFirstStart,
    createStartLink: async () => (await createLoginLink(linkParts, 'start')).url,
  };
}

interface Entrance {
  adminUrl(): string;
  openId: OpenIdSignIn | null;
}

function collectModules(state: DaemonState, given: AdminParts, { adminUrl, openId }: Entrance): ApiModules {
  const { config, storage, sealed, openChannel, addresses, steadyClock, ids, parts, logger } = state;
  const { replicas, observers, definitions, runs, health, receiving, alerts } = given;
  const { metrics, events, backups } = observers;
  const { secrets, reconciling } = definitions;
  const { dispatcher } = runs;
  const { ingress } = receiving;
  const baseUrl = () => config.baseUrl ?? addresses.ingress;
  const captures = replicas.shareCaptures(receiving.captures);
  const inspection = createInspector(builtFile('reconcile/inspection/inspection-worker.js'), {
    config,
    openChannel,
    secrets,
  });
  parts.add({ name: 'inspection threads', stop: () => inspection.close() });
  return {
    settings: composeSettings(
      config,
      { adminUrl, baseUrl, findClientAddress: given.clientAddresses.find },
      state.build,
    ),
    storage,
    inventory: health.inventory,
    secrets,
    reconcile: waitForReplicas(reconciling.control, replicas.group, logger),
    factories: controlFactories(reconciling.control, {
      pauses: dispatcher.pauses,
      alerts,
      known: observers.registry.known,
      metrics,
      inventory: storage.inventoryReader,
      onRunsQueued: (factory) => dispatcher.wake(factory),
    }),
    editor: reconciling.editor,
    inspection,
    diagnosis: openDiagnosis(state, given, { captures, baseUrl }),
    ingress: {
      captures,
      replays: receiving.replays.control,
      unloggedCounts: ingress.unloggedCounts,
      ...openSenders(state, given, baseUrl),
    },
    runs: {
      control: dispatcher,
      workers: dispatcher.workers,
      drain: dispatcher.drain,
      pauses: dispatcher.pauses,
      logs: runs.logs.reader,
      artifacts: createRunArtifacts(config.runsDir),
    },
    events,
    reload: given.reload,
    operation: {
      health: health.health,
      renderMetrics: () => metrics.render(),
      countSignIn: metrics.countSignIn,
      backups: backups.control,
      doctor: openDoctor(state, given),
    },
    alerts: alerts.control,
    pullRequests: definitions.requestChecks.reader,
    group: replicas.group,
    signIn: openSignIn(state, openId),
    answers: sealed.answers,
    masterKey: sealed.masterKey,
    base: { clock: steadyClock, ids, randomBytes, logger: createFastifyLogger(logger) },
  };
}

/** Why a request was rejected: of a delivery that was captured, or of one that somebody uploads. */
function openDiagnosis(
  { config, storage, clock, parts }: DaemonState,
  { definitions: { secrets }, receiving }: AdminParts,
  { captures, baseUrl }: { captures: ReturnType<Replicas['shareCaptures']>; baseUrl(): string },
): ApiModules['diagnosis'] {
  const inventory = storage.inventoryReader;
  const thread = createDiagnosisThread(builtFile('ingress/diagnosis/diagnosis-worker.js'));
  parts.add({ name: 'diagnosis thread', stop: () => thread.close() });
  const local = receiving.captures;
  return {
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
  };
}

/** What posts to the ingress as a sender does, and what creates webhooks at providers. */
function openSenders(
  { config, storage, addresses, clock, ids }: DaemonState,
  { definitions: { secrets }, receiving: { ingress, backfillMarks } }: AdminParts,
  baseUrl: () => string,
): Pick<ApiModules['ingress'], 'sendTestDelivery' | 'backfill' | 'connector'> {
  const target = { secrets, clock, ids, ingressUrl: () => addresses.ingress, baseUrl };
  return {
    sendTestDelivery: createTestDeliverySender(target),
    backfill: createBackfill({
      ...target,
      verifyOriginal: ingress.verifyOriginal,
      marks: markBackfills(backfillMarks),
    }),
    connector: createWebhookConnector({
      inventory: storage.inventoryReader,
      secrets,
      baseUrl,
      listSettings: (webhook, provider) => listFactorySettings(config.factories, webhook, provider),
      userAgent: `dockbell/${readPackageVersion()}`,
      nowMs: () => clock.wallMs(),
    }),
  };
}

function openDoctor(
  { config, paths, env, addresses, ids }: DaemonState,
  given: AdminParts,
): ApiModules['operation']['doctor'] {
  return createDoctor({
    config,
    paths,
    env,
    conditions: given.health.conditions,
    unreadHops: given.clientAddresses.unread,
    urlProbes: given.urlProbes,
    ids,
    ingressUrl: () => addresses.ingress,
  });
}

function openSignIn({ config, clock }: DaemonState, openId: OpenIdSignIn | null): ApiModules['signIn'] {
  const limits = {
    name: 'failed-authentications',
    get limit() {
      return config.limits.failedAuthPerMinute;
    },
    windowMs: MINUTE_MS,
  };
  return {
    passwords: createPasswords(),
    passwordAttempts: new PasswordAttempts(clock),
    failedAttempts: new FailedAttempts(limits, clock),
    openId,
  };
}

/** Where browsers sign in. Loads the OpenID client only if the configuration names a provider. */
async function prepareOpenId({ config, clientSecret }: DaemonState): Promise<CreateOpenId> {
  const { oidc } = config.admin;
  if (oidc === null) return () => null;
  const { createOpenIdProvider } = await import('../api/openid/openid-provider.ts');
  return (adminUrl) => {
    const parts = { redirectUri: () => `${adminUrl()}/auth/oidc/callback`, clock: systemClock };
    const provider = createOpenIdProvider({ ...oidc, clientSecret: clientSecret?.reveal() ?? null }, parts);
    return { provider, rules: oidc, label: oidc.label };
  };
}

function composeSettings(
  config: Config,
  addresses: Pick<ApiSettings, 'adminUrl' | 'baseUrl' | 'findClientAddress'>,
  build: ApiSettings['build'],
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
    build,
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
