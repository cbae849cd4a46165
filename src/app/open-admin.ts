import { fileURLToPath } from 'node:url';
import { FailedTries } from '../api/auth/failed-tries.ts';
import { PasswordTries } from '../api/auth/password-tries.ts';
import { createPasswords } from '../api/auth/passwords.ts';
import { createOpenIdProvider } from '../api/openid/openid-provider.ts';
import type { OpenIdSignIn } from '../api/openid/sign-in-oidc.ts';
import { createAdminServer } from '../api/server/create-admin-server.ts';
import { createFastifyLogger } from '../api/server/fastify-logger.ts';
import type { AdminServices, FactorySource } from '../api/services.ts';
import { createLoginLink } from '../api/sessions/create-login-link.ts';
import type { FactoryConfig } from '../config/config.ts';
import type { JsonObject } from '../core/json.ts';
import { createDeliveryDiagnosis } from '../diagnosis/diagnose-delivery.ts';
import { createUploadDiagnosis } from '../diagnosis/diagnose-upload.ts';
import { createDiagnosisThread } from '../diagnosis/diagnosis-thread.ts';
import type { MistakeTrial } from '../diagnosis/try-mistakes.ts';
import { createFactoryEditor } from '../edit/factory-editor.ts';
import { createRunLogReader } from '../executors/log/run-log.ts';
import { builtFile } from '../files/package-files.ts';
import { readPackageVersion } from '../files/package-version.ts';
import { Connections } from '../ingress/transport/connections.ts';
import { createInspector, type InspectionThreads } from '../inspection/create-inspector.ts';
import { ensureAdminToken } from '../maintenance/admin-token.ts';
import { describeScheme } from '../signature/schemes/describe-scheme.ts';
import { resolveScheme } from '../signature/schemes/resolve-scheme.ts';
import { listIdentities, SCHEMES } from '../signature/schemes/schemes.ts';
import { readSchema, SCHEMA_NAMES } from '../yaml/schemas.ts';
import type { Engine } from './create-engine.ts';
import type { Lifetime } from './lifetime.ts';
import { listen } from './listen.ts';
import type { Foundation } from './open-foundation.ts';
import { sendTestDelivery } from './send-test-delivery.ts';
import { warnOfPlainText } from './warn-of-plain-text.ts';

/** The private listener. */
export interface Admin {
  /** Where it listens. */
  url: string;
  /** Is this the first start on this data directory? */
  isFirstStart: boolean;
  /** A login link to be shown to whoever started the daemon; takes the place of the one before. */
  createStartLink(): Promise<string>;
}

/** Requests under way get this long to be answered on a clean stop. */
const CLOSING = { quietCheckMs: 20, graceMs: 5_000 };

/** Opens the private listener and makes sure that there is a way in. */
export async function openAdmin(
  foundation: Foundation,
  engine: Engine,
  ingressUrl: string,
  lifetime: Lifetime,
): Promise<Admin> {
  const { config, storage, paths, steadyClock } = foundation;
  const isFirstStart = await ensureAdminToken(
    { ...foundation, clock: steadyClock, tokens: storage.tokens },
    paths.adminToken,
  );
  const thread = createDiagnosisThread(builtFile('diagnosis/diagnosis-worker.js'));
  lifetime.defer(() => thread.close());
  const inspection = createInspector(builtFile('inspection/inspection-worker.js'), {
    ...{ config, storage, secrets: engine.secrets },
  });
  lifetime.defer(() => inspection.close());
  let url = '';
  const adminUrl = () => config.admin.url ?? url;
  const server = createAdminServer(
    composeServices(foundation, engine, { ingressUrl, adminUrl }, { thread, inspection }),
  );
  const connections = new Connections(server.server);
  server.server.on('request', (request, response) => connections.note(request.socket, response));
  // Fastify alone would wait for connections that never send a request, which browsers open in advance.
  lifetime.defer(() => connections.endWhile(server.close(), CLOSING));
  url = await listen('admin', config.admin, server.server, (address) =>
    // The address is in the line that reports the start.
    server.listen({ ...address, listenTextResolver: () => '' }),
  );
  warnOfPlainText(config.admin, foundation.logger);
  const linkParts = { ...foundation, clock: steadyClock, loginLinks: storage.loginLinks, adminUrl };
  return { url, isFirstStart, createStartLink: async () => (await createLoginLink(linkParts, 'start')).url };
}

function composeServices(
  foundation: Foundation,
  engine: Engine,
  { ingressUrl, adminUrl }: { ingressUrl: string; adminUrl(): string },
  { thread, inspection }: { thread: MistakeTrial['thread']; inspection: InspectionThreads },
): AdminServices {
  const { config, storage, metrics, clock, steadyClock, ids, randomBytes, logger, paths } = foundation;
  const baseUrl = () => config.baseUrl ?? ingressUrl;
  const trial = { inventory: storage.inventoryReader, secrets: engine.secrets, thread };
  return {
    inventory: engine.inventoryReader,
    deliveries: storage.deliveryReader,
    activity: storage.activityReader,
    backtester: inspection.backtester,
    planPreviewer: inspection.planPreviewer,
    inspector: inspection.inspector,
    replays: engine.replays,
    events: engine.events,
    handshakes: storage.handshakeLog,
    captures: engine.captures,
    diagnose: createDeliveryDiagnosis({ ...trial, captures: engine.captures }),
    diagnoseUpload: createUploadDiagnosis({
      ...{ ...trial, clock, baseUrl, triesPerMinute: config.limits.failedAuthPerMinute },
    }),
    idFinder: storage.idFinder,
    runs: storage.runReader,
    runLogs: createRunLogReader(paths.runLogs),
    runControl: engine.dispatcher,
    workers: engine.dispatcher.workers,
    reconciliations: storage.reconciliationReader,
    reconcile: engine.reconcilers,
    secrets: engine.secrets,
    editor: createFactoryEditor({
      ...{ loop: engine.reconcilers, secrets: engine.secrets, inventory: storage.inventoryReader, randomBytes },
    }),
    tokens: storage.tokens,
    ...composeSignIn(foundation),
    adminUrl,
    openId: composeOpenId(foundation, adminUrl),
    trustedProxies: config.trustedProxies,
    answers: foundation.answers,
    factorySource: (name) => describeSource(config.factories.find((factory) => factory.name === name)),
    schemeNamesDeliveries: ({ signatureScheme, signature }) => namesDeliveries(signatureScheme, signature),
    sendTestDelivery: (webhook, body, deliveryId) =>
      sendTestDelivery(foundation, ingressUrl, webhook, body, deliveryId),
    health: engine.health,
    renderMetrics: () => metrics.render(),
    openMetrics: config.admin.openMetrics,
    allowedHosts: [
      ...config.admin.allowedHosts,
      ...(config.admin.url === null ? [] : [new URL(config.admin.url).host]),
    ],
    baseUrl,
    schemas: new Map(SCHEMA_NAMES.map((name) => [name, readSchema(name)])),
    signatureSchemes: SCHEMES.map(describeScheme),
    dashboardDir: fileURLToPath(builtFile('dashboard')),
    version: readPackageVersion(),
    ...{ clock: steadyClock, ids, randomBytes, logger: createFastifyLogger(logger) },
  };
}

function composeOpenId({ config, clientSecret, clock }: Foundation, adminUrl: () => string): OpenIdSignIn | null {
  const { oidc } = config.admin;
  if (oidc === null) return null;
  const parts = { redirectUri: () => `${adminUrl()}/auth/oidc/callback`, clock };
  const provider = createOpenIdProvider({ ...oidc, clientSecret: clientSecret?.reveal() ?? null }, parts);
  return { provider, rules: oidc, label: oidc.label };
}

const MINUTE_MS = 60_000;

function composeSignIn({ config, storage, clock, metrics }: Foundation) {
  const { sessionIdleMs, sessionLifetimeMs } = config.admin;
  const budget = { limit: config.limits.failedAuthPerMinute, windowMs: MINUTE_MS };
  return {
    ...{ auditLog: storage.auditLog, countSignIn: metrics.countSignIn },
    ...{ users: storage.users, passwords: createPasswords(), passwordTries: new PasswordTries(clock) },
    ...{ sessions: storage.sessions, loginLinks: storage.loginLinks, sessionIdleMs, sessionLifetimeMs },
    failedTries: new FailedTries(budget, clock),
  };
}

function describeSource(factory: FactoryConfig | undefined): FactorySource | null {
  if (factory === undefined) return null;
  const { source } = factory;
  if (source.type !== 'repository') return { type: source.type, url: null, branch: null, path: null };
  const { type, url, branch, path } = source;
  return { type, url, branch, path };
}

function namesDeliveries(name: string | null, signature: JsonObject | null): boolean {
  const scheme = resolveScheme(name, signature);
  return scheme !== null && listIdentities(scheme).length > 0;
}
