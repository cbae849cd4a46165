import { describe, expect, it } from 'vitest';
import { createMetrics, type MetricProbes } from './metrics.ts';

const probes: MetricProbes = {
  countRuns: async () => ({ queued: 3, running: 2 }),
  factoryReadiness: async () => [
    { factory: 'payments', isReady: true },
    { factory: 'search', isReady: false },
  ],
};

const linesOf = async (metrics: { render(): Promise<string> }, name: string) =>
  (await metrics.render()).split('\n').filter((line) => line.startsWith(name));

describe('metrics', () => {
  it('count deliveries by webhook and label, and show every label from the first delivery on', async () => {
    const metrics = createMetrics(probes);
    metrics.countDelivery('wh_a', 'Accepted');
    metrics.countDelivery('wh_a', 'Accepted');
    metrics.countDelivery('wh_a', 'Rejected (auth)');
    expect(await linesOf(metrics, 'dockbell_deliveries_total')).toEqual([
      'dockbell_deliveries_total{webhook="wh_a",label="Accepted"} 2',
      'dockbell_deliveries_total{webhook="wh_a",label="Duplicate"} 0',
      'dockbell_deliveries_total{webhook="wh_a",label="Rejected (auth)"} 1',
      'dockbell_deliveries_total{webhook="wh_a",label="Rejected (invalid JSON)"} 0',
      'dockbell_deliveries_total{webhook="wh_a",label="Rejected (too large)"} 0',
    ]);
  });

  it('drop the series of webhooks that are deleted', async () => {
    const metrics = createMetrics(probes);
    for (const uid of ['wh_a', 'wh_b']) metrics.countDelivery(uid, 'Accepted');
    metrics.keepWebhooks(['wh_b', 'wh_c']);
    const lines = await linesOf(metrics, 'dockbell_deliveries_total');
    expect(lines).toHaveLength(5);
    expect(lines.every((line) => line.includes('wh_b'))).toBe(true);
    metrics.countDelivery('wh_a', 'Accepted');
    expect(await linesOf(metrics, 'dockbell_deliveries_total{webhook="wh_a",label="Accepted"}')).toHaveLength(1);
  });

  it('count rejections and reconciliations', async () => {
    const metrics = createMetrics(probes);
    metrics.countRejection('not_found');
    metrics.countRejection('not_found');
    metrics.countReconciliation('payments', 'applied');
    expect(await linesOf(metrics, 'dockbell_ingress')).toEqual([
      'dockbell_ingress_refusals_total{reason="not_found"} 2',
    ]);
    metrics.countRejection('not_found');
    expect(await linesOf(metrics, 'dockbell_ingress')).toEqual([
      'dockbell_ingress_refusals_total{reason="not_found"} 3',
    ]);
    expect(await linesOf(metrics, 'dockbell_reconciliations')).toEqual([
      'dockbell_reconciliations_total{factory="payments",result="applied"} 1',
    ]);
  });

  it('count unlogged requests by the names of factory and webhook, and as 0.1.0 named the reasons', async () => {
    const metrics = createMetrics(probes);
    const ci = { factory: 'payments', name: 'ci' };
    metrics.countUnlogged(ci, 'delivery_rate', 1);
    metrics.countUnlogged(ci, 'delivery_rate', 2);
    metrics.countUnlogged({ factory: 'search', name: 'ci' }, 'deleted', 1);
    metrics.countUnlogged(ci, 'incomplete_body', 1);
    metrics.countRejection('not_found');
    for (const _ of [1, 2]) {
      expect(await linesOf(metrics, 'dockbell_requests_refused_total')).toEqual([
        'dockbell_requests_refused_total{factory="payments",webhook="ci",reason="delivery_rate"} 3',
        'dockbell_requests_refused_total{factory="payments",webhook="ci",reason="incomplete_body"} 1',
        'dockbell_requests_refused_total{factory="search",webhook="ci",reason="deleted"} 1',
      ]);
      expect(await linesOf(metrics, 'dockbell_ingress')).toEqual([
        'dockbell_ingress_refusals_total{reason="delivery_rate"} 3',
        'dockbell_ingress_refusals_total{reason="not_found"} 2',
      ]);
    }
  });

  it('look up runs and readiness at each scrape', async () => {
    const metrics = createMetrics(probes);
    expect(await linesOf(metrics, 'dockbell_runs')).toEqual([
      'dockbell_runs{state="queued"} 3',
      'dockbell_runs{state="running"} 2',
    ]);
    expect(await linesOf(metrics, 'dockbell_factory_ready')).toEqual([
      'dockbell_factory_ready{factory="payments"} 1',
      'dockbell_factory_ready{factory="search"} 0',
    ]);
  });

  it('stay readable when a probe fails', async () => {
    let isDown = false;
    const fail = async () => Promise.reject(new Error('down'));
    const metrics = createMetrics({
      countRuns: () => (isDown ? fail() : probes.countRuns()),
      factoryReadiness: () => (isDown ? fail() : probes.factoryReadiness()),
    });
    metrics.countDelivery('wh_a', 'Accepted');
    await metrics.render();
    isDown = true;
    expect(await linesOf(metrics, 'dockbell_deliveries_total')).toHaveLength(5);
    expect((await linesOf(metrics, 'dockbell_runs{state="queued"}'))[0]).toMatch(/ nan$/i);
    expect((await linesOf(metrics, 'dockbell_factory_ready{factory="search"}'))[0]).toMatch(/ nan$/i);
  });

  it('tell about the process, in a registry separate', async () => {
    expect(await linesOf(createMetrics(probes), 'process_cpu_seconds_total')).toHaveLength(1);
    expect(await linesOf(createMetrics(probes), 'nodejs_eventloop_lag_seconds')).toHaveLength(1);
  });
});
