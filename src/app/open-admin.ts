import { FailedTries } from '../api/auth/failed-tries.ts';
import { PasswordTries } from '../api/auth/password-tries.ts';
import { createPasswords } from '../api/auth/passwords.ts';
import type { FactorySource } from '../api/factories/factory-source.ts';
import { createOpenIdProvider } from '../api/openid/openid-provider.ts';
import type { OpenIdSignIn } from '../api/openid/sign-in-oidc.ts';
import { createFastifyLogger } from '../api/server/fastify-logger.ts';
import { createLoginLink } from '../api/sessions/create-login-link.ts';
import { createTestDeliverySender } from '../api/webhooks/send-test-delivery.ts';
import type { Config, FactoryConfig } from '../config/config.ts';
import { createDeliveryDiagnosis } from '../diagnosis/diagnose-delivery.ts';
import { createUploadDiagnosis } from '../diagnosis/diagnose-upload.ts';
import { createDiagnosisThread } from '../diagnosis/diagnosis-thread.ts';
import type { MistakeTrial } from '../diagnosis/try-mistakes.ts';
import { createFactoryEditor } from '../edit/factory-editor.ts';
import { createRunLogReader } from '../executors/log/run-log.ts';
import { builtFile } from '../files/package-files.ts';
import { Connections } from '../ingress/transport/connections.ts';
import { createInspector, type InspectionThreads } from '../inspection/create-inspector.ts';
import { ensureAdminToken } from '../maintenance/admin-token.ts';
import { type ApiModules, type ApiSettings, composeApi } from './compose-api.ts';
import type { Engine } from './create-engine.ts';
import type { Lifetime } from './lifetime.ts';
import { listen } from './listen.ts';
import type { Foundation } from './open-foundation.ts';
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

const MINUTE_MS = 60_000;
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
  const server = composeApi(collectModules(foundation, engine, { ingressUrl, adminUrl }, { thread, inspection }));
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

/** The modules of the management API, made of what the daemon has. */
function collectModules(
  foundation: Foundation,
  engine: Engine,
  { ingressUrl, adminUrl }: { ingressUrl: string; adminUrl(): string },
  { thread, inspection }: { thread: MistakeTrial['thread']; inspection: InspectionThreads },
): ApiModules {
  const { config, storage, metrics, clock, steadyClock, ids, randomBytes, logger, paths } = foundation;
  const { secrets, captures, replays, dispatcher } = engine;
  const baseUrl = () => config.baseUrl ?? ingressUrl;
  const trial = { inventory: storage.inventoryReader, secrets, thread };
  const triesPerMinute = config.limits.failedAuthPerMinute;
  return {
    settings: composeSettings(config, { adminUrl, baseUrl }),
    storage,
    inventory: engine.inventoryReader,
    secrets,
    reconcile: engine.reconcilers,
    editor: createFactoryEditor({ secrets, randomBytes, inventory: storage.inventoryReader, loop: engine.reconcilers }),
    inspection,
    diagnosis: {
      diagnose: createDeliveryDiagnosis({ ...trial, captures }),
      diagnoseUpload: createUploadDiagnosis({ ...trial, clock, baseUrl, triesPerMinute }),
    },
    ingress: {
      captures,
      replays,
      sendTestDelivery: createTestDeliverySender({ secrets, clock, ids, ingressUrl, baseUrl }),
    },
    runs: { control: dispatcher, workers: dispatcher.workers, logs: createRunLogReader(paths.runLogs) },
    events: engine.events,
    operation: {
      health: engine.health,
      renderMetrics: () => metrics.render(),
      countSignIn: metrics.countSignIn,
    },
    signIn: {
      passwords: createPasswords(),
      passwordTries: new PasswordTries(clock),
      failedTries: new FailedTries({ limit: triesPerMinute, windowMs: MINUTE_MS }, clock),
      openId: composeOpenId(foundation, adminUrl),
    },
    answers: foundation.answers,
    base: { clock: steadyClock, ids, randomBytes, logger: createFastifyLogger(logger) },
  };
}

function composeSettings(config: Config, addresses: Pick<ApiSettings, 'adminUrl' | 'baseUrl'>): ApiSettings {
  const { url, allowedHosts, sessionIdleMs, sessionLifetimeMs, openMetrics } = config.admin;
  return {
    ...addresses,
    findSource: (name) => describeSource(config.factories.find((factory) => factory.name === name)),
    sessionIdleMs,
    sessionLifetimeMs,
    openMetrics,
    allowedHosts: url === null ? allowedHosts : [...allowedHosts, new URL(url).host],
    trustedProxies: config.trustedProxies,
  };
}

function composeOpenId({ config, clientSecret, clock }: Foundation, adminUrl: () => string): OpenIdSignIn | null {
  const { oidc } = config.admin;
  if (oidc === null) return null;
  const parts = { redirectUri: () => `${adminUrl()}/auth/oidc/callback`, clock };
  const provider = createOpenIdProvider({ ...oidc, clientSecret: clientSecret?.reveal() ?? null }, parts);
  return { provider, rules: oidc, label: oidc.label };
}

function describeSource(factory: FactoryConfig | undefined): FactorySource | null {
  if (factory === undefined) return null;
  const { source } = factory;
  if (source.type !== 'repository') return { type: source.type, url: null, branch: null, path: null };
  const { type, url, branch, path } = source;
  return { type, url, branch, path };
}
