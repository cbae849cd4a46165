import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openMeasures } from '../../src/domain/telemetry/write-measures.ts';
import { createMetrics } from '../../src/operations/observability/metrics/metrics.ts';
import { readBuildIdentity } from '../../src/platform/files/build-identity.ts';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

/** Name and kind of each metric of Dockbell. */
async function listMetrics(): Promise<[name: string, kind: string][]> {
  const probes = {
    countRuns: async () => ({ queued: 0, running: 0 }),
    factories: async () => [],
    webhookTraffic: async () => [],
    runTotals: async () => [],
    queueAges: async () => [],
    alertCounts: () => [],
    group: () => ({ leads: true, leaders: 1, followers: 0, changesBehind: 0 }),
    budgets: async () => [],
    lastBackup: () => null,
    diskSpace: async () => ({ freeBytes: 0, sizeBytes: 0 }),
  };
  const metrics = createMetrics({ probes, writes: openMeasures(), build: readBuildIdentity() });
  const types = [...(await metrics.render()).matchAll(/^# TYPE (dockbell_\w+) (\w+)$/gm)];
  return types.map(([, name, kind]) => [name!, kind!]);
}

/** The metrics of Dockbell that a text names, without the endings of histograms. */
async function findUnknown(text: string): Promise<string[]> {
  const known = new Set((await listMetrics()).map(([name]) => name));
  const named = [...text.matchAll(/\bdockbell_\w+/g)].map(([name]) => name);
  return named.filter((name) => !known.has(name) && !known.has(name.replace(/_(bucket|sum|count)$/, '')));
}

describe('docs/operations/monitoring.md', () => {
  it('lists exactly the existing metrics', async () => {
    const page = await read('docs/operations/monitoring.md');
    const documented = [...page.matchAll(/^\| `(dockbell_\w+)` \| (\w+) \|/gm)].map(
      ([, name, kind]) => `${name} ${kind}`,
    );
    const existing = (await listMetrics()).map(([name, kind]) => `${name} ${kind}`);
    expect(documented.sort()).toEqual(existing.sort());
  });
});

describe('deploy/', () => {
  it('has alert rules whose runbooks exist, and no other runbooks', async () => {
    const text = await read('deploy/prometheus/dockbell.rules.yml');
    expect(await findUnknown(text)).toEqual([]);
    const { groups } = parse(text) as { groups: { rules: { alert: string; annotations: { runbook: string } }[] }[] };
    const rules = groups.flatMap((group) => group.rules);
    for (const { alert, annotations } of rules)
      expect(annotations.runbook).toBe(`docs/operations/alerts.md#${alert.toLowerCase()}`);
    const [, described = ''] = (await read('docs/operations/alerts.md')).split('\n## Runbooks\n');
    const runbooks = [...described.matchAll(/^### (.+)$/gm)].map(([, title]) => title);
    expect(rules.map(({ alert }) => alert).sort()).toEqual(runbooks.sort());
  });

  it('has a unit test that expects each alert to fire', async () => {
    const rules = [...(await read('deploy/prometheus/dockbell.rules.yml')).matchAll(/- alert: (\w+)/g)];
    const tested = [...(await read('deploy/prometheus/dockbell.rules.test.yml')).matchAll(/\{alertname="(\w+)"\}/g)];
    expect(tested.map(([, name]) => name).sort()).toEqual(rules.map(([, name]) => name).sort());
  });

  it('has a dashboard that uses only existing metrics', async () => {
    expect(await findUnknown(await read('deploy/grafana/dockbell.json'))).toEqual([]);
  });
});
