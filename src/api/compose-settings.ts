import { fileURLToPath } from 'node:url';
import type { Config, FactoryConfig } from '../config/config.ts';
import { builtFile } from '../platform/files/package-files.ts';
import type { ApiSettings } from './api-modules.ts';
import type { FactorySource } from './factories/factory-source.ts';

/** What the configuration says about the management API. */
export function composeSettings(
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
