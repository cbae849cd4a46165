import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../src/observability/metrics.ts';

describe('docs/operations/monitoring.md', () => {
  it('lists exactly the existing metrics', async () => {
    const page = await readFile(new URL('../../docs/operations/monitoring.md', import.meta.url), 'utf8');
    const documented = [...page.matchAll(/^\| `(dockbell_\w+)` \| (\w+) \|/gm)].map(
      ([, name, kind]) => `${name} ${kind}`,
    );
    const metrics = createMetrics({
      countRuns: async () => ({ queued: 0, running: 0 }),
      factoryReadiness: async () => [],
      webhookTraffic: async () => [],
      runTotals: async () => [],
      queueAges: async () => [],
    });
    const existing = [...(await metrics.render()).matchAll(/^# TYPE (dockbell_\w+) (\w+)$/gm)];
    expect(documented.sort()).toEqual(existing.map(([, name, kind]) => `${name} ${kind}`).sort());
  });
});
