import { join } from 'node:path';
import type { Config, FactoryConfig, NotifyConfig, OidcConfig } from './config.ts';
import { locateTarget } from './notify-values.ts';
import type { OptionValues } from './option-values.ts';

/** Builds the frozen configuration from values that were checked. `file` as in `Config`. */
export function assembleConfig(values: OptionValues, file: string | null): Config {
  const dataDir = values.get('dataDir');
  return deepFreeze({
    file,
    baseUrl: values.get('baseUrl'),
    dataDir,
    runsDir: values.get('runsDir') ?? join(dataDir, 'runs'),
    masterKeyFile: values.get('masterKeyFile') ?? join(dataDir, 'master.key'),
    ingress: { host: values.get('ingress.host'), port: values.get('ingress.port') },
    admin: {
      host: values.get('admin.host'),
      port: values.get('admin.port'),
      url: values.get('admin.url'),
      oidc: assembleOidc(values),
      sessionIdleMs: values.get('admin.sessionIdle'),
      sessionLifetimeMs: values.get('admin.sessionLifetime'),
      openMetrics: values.get('admin.openMetrics'),
      allowedHosts: values.get('admin.allowedHosts'),
    },
    storage: { type: values.get('storage.type') },
    trustedProxies: values.get('trustedProxies'),
    limits: {
      deliveriesPerMinute: values.get('limits.deliveriesPerMinute'),
      failedAuthPerMinute: values.get('limits.failedAuthPerMinute'),
      bodyBytes: values.get('limits.bodyBytes'),
      webhooksPerFactory: values.get('limits.webhooksPerFactory'),
    },
    retention: assembleRetention(values),
    log: { level: values.get('log.level') },
    shutdownGraceMs: values.get('shutdownGrace'),
    factories: values.itemsOf('factories[]').map(assembleFactory),
  });
}

function assembleOidc(values: OptionValues): OidcConfig | null {
  if (values.whereOf('admin.oidc.issuer') === null) return null;
  const issuer = values.get('admin.oidc.issuer');
  return {
    issuer,
    clientId: values.get('admin.oidc.clientId'),
    clientSecret: values.get('admin.oidc.clientSecret'),
    clientSecretFile: values.get('admin.oidc.clientSecretFile'),
    label: values.get('admin.oidc.label') ?? new URL(issuer).host,
    scopes: [...new Set(['openid', ...values.get('admin.oidc.scopes')])],
    groupsClaim: values.get('admin.oidc.groupsClaim'),
    groups: values.itemsOf('admin.oidc.groups[]').map((group) => ({
      name: group.get('admin.oidc.groups[].name'),
      role: group.get('admin.oidc.groups[].role'),
      factories: group.get('admin.oidc.groups[].factories'),
    })),
    defaultRole: values.get('admin.oidc.defaultRole'),
    allowedDomains: values.get('admin.oidc.allowedDomains'),
  };
}

/** Identities are remembered at least as long as the log is kept (decisions, "Identity"). */
function assembleRetention(values: OptionValues): Config['retention'] {
  const deliveriesMs = values.get('retention.deliveries');
  return {
    deliveriesMs,
    minDeliveries: values.get('retention.minDeliveries'),
    identitiesMs: Math.max(values.get('retention.identities'), deliveriesMs),
    runsMs: values.get('retention.runs'),
    runBytes: values.get('retention.runBytes'),
    auditMs: values.get('retention.audit'),
  };
}

function assembleFactory(values: OptionValues): FactoryConfig {
  return {
    name: values.get('factories[].name'),
    source: assembleSource(values),
    notify: values.itemsOf('factories[].notify[]').map((target) => assembleNotify(target, values)),
    runs: {
      executor: assembleExecutor(values),
      timeoutMs: values.get('factories[].runs.executor.timeout'),
      leaseMs: values.get('factories[].runs.executor.lease'),
      concurrency: values.get('factories[].runs.concurrency'),
      retry: values.get('factories[].runs.retry'),
    },
  };
}

/** Only for values that `findNotifyProblems` has nothing against. */
function assembleNotify(target: OptionValues, factory: OptionValues): NotifyConfig {
  const { url, repository } = locateTarget(target, factory);
  return {
    type: target.get('factories[].notify[].type'),
    url: url!,
    repository,
    secretName: target.get('factories[].notify[].secretName'),
    context: target.get('factories[].notify[].context') ?? `dockbell/${factory.get('factories[].name')}`,
    targetUrl: target.get('factories[].notify[].targetUrl'),
  };
}

function assembleSource(values: OptionValues): FactoryConfig['source'] {
  const type = values.get('factories[].source.type');
  if (type !== 'repository') return { type };
  return {
    type,
    url: values.get('factories[].source.url'),
    branch: values.get('factories[].source.branch'),
    path: values.get('factories[].source.path'),
    pollIntervalMs: values.get('factories[].source.pollInterval'),
    pushWebhook: values.get('factories[].source.pushWebhook'),
  };
}

function assembleExecutor(values: OptionValues): FactoryConfig['runs']['executor'] {
  if (values.whereOf('factories[].runs.executor.type') === null) return null;
  const type = values.get('factories[].runs.executor.type');
  if (type === 'queue') return { type };
  return {
    type,
    command: values.get('factories[].runs.executor.command'),
    user: values.get('factories[].runs.executor.user'),
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}
