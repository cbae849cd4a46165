import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../domain/json.ts';
import type { Config } from './config.ts';
import { createLiveConfig, planReload, RELOADED_OPTIONS } from './live-config.ts';
import { loadConfig } from './load-config.ts';
import { OPTIONS } from './options/options.ts';
import { SECTIONS } from './options/sections.ts';

const read = (overrides: JsonObject) => loadConfig({ file: null, env: {}, overrides, workingDir: '/srv' });
const factory = (name: string, branch = 'main') => ({ name, source: { type: 'repository', url: '/repo', branch } });

it('only options can be reloaded, and all options of an optional section or none', () => {
  const known = { ...OPTIONS, 'alerts.targets': SECTIONS['alerts.targets'] };
  expect([...RELOADED_OPTIONS].filter((name) => !Object.hasOwn(known, name))).toEqual([]);
  const optional = Object.entries(SECTIONS).flatMap(([name, section]) => ('optional' in section ? [`${name}.`] : []));
  for (const prefix of optional) {
    const options = Object.keys(OPTIONS).filter((name) => name.startsWith(prefix));
    expect([0, options.length]).toContain(options.filter((name) => RELOADED_OPTIONS.has(name)).length);
  }
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
        telemetry: { samplePercent: 5 },
        drain: '1h',
        ingress: { port: 1 },
        admin: { oidc: { issuer: 'https://id.example.com', clientId: 'x', clientSecret: 'y', defaultRole: 'viewer' } },
      }),
    );
    expect(change.applied).toEqual(['limits.failedAuthPerMinute', 'limits.bodyBytes', 'retention.runs', 'drain']);
    expect(change.needRestart).toEqual(
      expect.arrayContaining(['ingress.port', 'admin.oidc.issuer', 'telemetry.samplePercent']),
    );
    expect(change.config).toMatchObject({
      limits: { bodyBytes: 1024, failedAuthPerMinute: 1 },
      telemetry: { samplePercent: 100 },
      retention: { runsMs: 86_400_000 },
      drainMs: 3_600_000,
      ingress: { port: 8787 },
      admin: { oidc: null },
    });
  });

  it('adds and removes an optional section as a whole', async () => {
    const backup = { every: '1h', keep: 2, dir: '/backups' };
    const names = ['backup.every', 'backup.keep', 'backup.dir'];
    const [without, hourly] = [await read({}), await read({ backup })];
    const daily = await read({ backup: { ...backup, every: '1d' } });
    const reload = (...[from, to]: [Config, Config]) => {
      const { applied, config } = planReload(from, to);
      return [applied, config.backup];
    };
    expect(reload(without, hourly)).toEqual([names, { everyMs: 3_600_000, keep: 2, dir: '/backups' }]);
    expect(reload(hourly, daily)).toEqual([['backup.every'], { everyMs: 86_400_000, keep: 2, dir: '/backups' }]);
    expect(reload(daily, without)).toEqual([names, null]);
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
