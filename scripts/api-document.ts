import { readFileSync } from 'node:fs';
import { pino } from 'pino';
import type { ApiModules, ApiSettings } from '../src/api/api-modules.ts';
import { composeApi } from '../src/api/compose-api.ts';
import type { BuildIdentity } from '../src/domain/build-identity.ts';

/** The OpenAPI document that a daemon of this version serves: that of its routes, without a daemon behind them. */
export async function buildApiDocument(): Promise<object> {
  const app = composeApi(MODULES);
  await app.ready();
  const document = app.swagger();
  await app.close();
  return document;
}

/** Routes get the modules of the daemon when they are registered, and call them when they serve a request. So none is called here. */
function absent<T>(name: string, known: object = {}): T {
  const call = () => {
    throw new Error(`${name} was called without a request`);
  };
  return new Proxy(Object.assign(call, known), {
    get: (target, key) =>
      key in known || typeof key === 'symbol' ? Reflect.get(target, key) : absent(`${name}.${key}`),
  }) as T;
}

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

const MODULES = absent<ApiModules>('the daemon', {
  settings: absent<ApiSettings>('settings', {
    openMetrics: false,
    sessionIdleMs: 0,
    dashboardDir: '',
    docsDir: '',
    trustedProxies: [],
    allowedHosts: [],
    build: { version } as BuildIdentity,
  }),
  base: absent<ApiModules['base']>('base', {
    randomBytes: (size: number) => new Uint8Array(size),
    logger: pino({ level: 'silent' }),
  }),
});
