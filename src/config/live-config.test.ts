import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../core/json.ts';
import { createLiveConfig, planReload, RELOADED_OPTIONS } from './live-config.ts';
import { loadConfig } from './load-config.ts';
import { OPTIONS } from './options.ts';

const read = (overrides: JsonObject) => loadConfig({ file: null, env: {}, overrides, workingDir: '/srv' });
const factory = (name: string, branch = 'main') => ({ name, source: { type: 'repository', url: '/repo', branch } });

it('only options can be reloaded', () => {
  expect([...RELOADED_OPTIONS].filter((name) => !Object.hasOwn(OPTIONS, name))).toEqual([]);
});

describe('planReload', () => {
  it('finds nothing to change in an equal configuration', async () => {
    const options = { limits: { bodyBytes: 1024 }, factories: [factory('a')] };
    expect(planReload(await read(options), await read(options))).toMatchObject({
      applied: [],
      needRestart: [],
      factories: { added: [], changed: [], removed: [] },
    });
  });

  it('applies limits, retention and stop times, and keeps the values that need a restart', async () => {
    const change = planReload(
      await read({}),
      await read({
        limits: { bodyBytes: 1024, failedAuthPerMinute: 1 },
        retention: { runs: '1d' },
        drain: '1h',
        ingress: { port: 1 },
        admin: { oidc: { issuer: 'https://id.example.com', clientId: 'x', clientSecret: 'y', defaultRole: 'viewer' } },
      }),
    );
    expect(change.applied).toEqual(['limits.bodyBytes', 'retention.runs', 'drain']);
    expect(change.needRestart).toContain('limits.failedAuthPerMinute');
    expect(change.needRestart).toEqual(expect.arrayContaining(['ingress.port', 'admin.oidc.issuer']));
    expect(change.config).toMatchObject({
      limits: { bodyBytes: 1024, failedAuthPerMinute: 30 },
      retention: { runsMs: 86_400_000 },
      drainMs: 3_600_000,
      ingress: { port: 8787 },
      admin: { oidc: null },
    });
  });

  it('names new, changed and removed factories', async () => {
    const { factories, config } = planReload(
      await read({ factories: [factory('same'), factory('other'), factory('gone')] }),
      await read({ factories: [factory('new'), factory('same'), factory('other', 'next')] }),
    );
    expect(factories.added.map(({ name }) => name)).toEqual(['new']);
    expect(factories.changed.map(({ name }) => name)).toEqual(['other']);
    expect(factories.removed).toEqual(['gone']);
    expect(config.factories.map(({ name }) => name)).toEqual(['new', 'same', 'other']);
  });
});

it('a live configuration has the values of the last replacement', async () => {
  const live = createLiveConfig(await read({}));
  const { config } = live;
  expect(config.limits.bodyBytes).toBe(262_144);
  live.replace(await read({ limits: { bodyBytes: 1024 } }));
  expect(config.limits.bodyBytes).toBe(1024);
});
