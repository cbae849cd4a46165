import { randomBytes } from 'node:crypto';
import type { ApiModules } from '../api/api-modules.ts';
import { composeApi } from '../api/compose-api.ts';
import { composeSettings } from '../api/compose-settings.ts';
import { createFastifyLogger } from '../api/server/fastify-logger.ts';
import { warnOfPlainText } from '../api/server/warn-of-plain-text.ts';
import { createLoginLink } from '../api/sessions/create-login-link.ts';
import { openSignIn } from '../api/sessions/open-sign-in.ts';
import { createBackfill } from '../api/webhooks/post-backfill.ts';
import { createTestDeliverySender } from '../api/webhooks/send-test-delivery.ts';
import { listFactorySettings } from '../config/push-trigger.ts';
import type { ClientAddresses } from '../domain/network/client-address.ts';
import type { ReloadControl } from '../domain/ports/operations.ts';
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
import type { Dispatcher } from '../runs/dispatcher.ts';
import { createRunArtifacts } from '../runs/executors/files/run-artifacts.ts';
import { type Replicas, waitForReplicas } from '../storage/replicas/join-replicas.ts';
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

/** Adds the private listener. Its start makes sure that there is a way in. */
export async function openAdmin(state: DaemonState, given: AdminParts): Promise<Admin> {
  const { config, storage, paths, addresses, sockets, steadyClock: clock, ids, parts, logger } = state;
  const socket = sockets.admin;
  let isFirstStart = false;
  const adminUrl = () => config.admin.url ?? addresses.admin;
  const server = composeApi(collectModules(state, given, { adminUrl, signIn: await openSignIn(state, adminUrl) }));
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
    stop: ({ hurry }) => connections.endWhile(server.close(), { ...CLOSING, hurry }),
  });
  const linkParts = { loginLinks: storage.loginLinks, adminUrl, clock, ids, randomBytes };
  return {
    isFirstStart: () => isFirstStart,
    createStartLink: async () => (await createLoginLink(linkParts, 'start')).url,
  };
}

interface Entrance {
  adminUrl(): string;
  signIn: ApiModules['signIn'];
}

function collectModules(state: DaemonState, given: AdminParts, { adminUrl, signIn }: Entrance): ApiModules {
  const { config, storage, sealed, addresses, steadyClock, ids, logger } = state;
  const { replicas, observers, definitions, runs, health, receiving, alerts } = given;
  const { metrics, events, backups } = observers;
  const { secrets, reconciling } = definitions;
  const { dispatcher } = runs;
  const { ingress } = receiving;
  const baseUrl = () => config.baseUrl ?? addresses.ingress;
  const captures = replicas.shareCaptures(receiving.captures);
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
    inspection: openInspection(state, secrets),
    diagnosis: openDiagnosis(state, given, { captures, baseUrl }),
    ingress: {
      captures,
      replays: receiving.replays.control,
      unloggedCounts: ingress.unloggedCounts,
      ...openSenders(state, given, baseUrl),
    },
    runs: { ...controlRuns(dispatcher), logs: runs.logs.reader, artifacts: createRunArtifacts(config.runsDir) },
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
    signIn,
    answers: sealed.answers,
    masterKey: sealed.masterKey,
    base: { clock: steadyClock, ids, randomBytes, logger: createFastifyLogger(logger) },
  };
}

function openInspection({ config, openChannel, parts }: DaemonState, secrets: Definitions['secrets']) {
  const worker = builtFile('reconcile/inspection/inspection-worker.js');
  const inspection = createInspector(worker, { config, openChannel, secrets });
  parts.add({ name: 'inspection threads', stop: () => inspection.close() });
  return inspection;
}

function controlRuns(control: Dispatcher): Pick<ApiModules['runs'], 'control' | 'workers' | 'drain' | 'pauses'> {
  const { workers, drain, pauses } = control;
  return { control, workers, drain, pauses };
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
