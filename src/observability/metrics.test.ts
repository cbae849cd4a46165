import { describe, expect, it } from 'vitest';
import { createMetrics, type MetricProbes } from './metrics.ts';

const probes: MetricProbes = {
  countRuns: async () => ({ queued: 3, running: 2 }),
  factoryReadiness: async () => [
    { factory: 'payments', isReady: true },
    { factory: 'search', isReady: false },
  ],
  webhookTraffic: async () => [
    { factory: 'payments', webhook: 'ci', traffic: { lastAcceptedAt: 1_500, credentialFailure: null } },
    {
      factory: 'payments',
      webhook: 'old',
      traffic: { lastAcceptedAt: null, credentialFailure: { since: 2_000, lastAt: 3_000, count: 4, reason: null } },
    },
  ],
  runTotals: async () => [
    { factory: 'payments', automation: 'fix', ended: { succeeded: 7, failed: 2, cancelled: 1 }, recentFailed: 2 },
  ],
  queueAges: async () => [{ factory: 'payments', ageMs: 90_000 }],
};

const WEBHOOK_A = { uid: 'wh_a', factory: 'payments', name: 'a' };
const WEBHOOK_B = { uid: 'wh_b', factory: 'payments', name: 'b' };
const keep = (...webhooks: (typeof WEBHOOK_A)[]) => new Map(webhooks.map((webhook) => [webhook.uid, webhook]));

const linesOf = async (metrics: { render(): Promise<string> }, name: string) =>
  (await metrics.render()).split('\n').filter((line) => line.startsWith(name));

describe('metrics', () => {
  it('count deliveries by webhook and label, and show every label from the first delivery on', async () => {
    const metrics = createMetrics(probes);
    metrics.countDelivery(WEBHOOK_A, 'Accepted');
    metrics.countDelivery(WEBHOOK_A, 'Accepted');
    metrics.countDelivery(WEBHOOK_A, 'Rejected (auth)');
    expect(await linesOf(metrics, 'dockbell_deliveries_total')).toEqual([
      'dockbell_deliveries_total{factory="payments",webhook="a",label="Accepted"} 2',
      'dockbell_deliveries_total{factory="payments",webhook="a",label="Duplicate"} 0',
      'dockbell_deliveries_total{factory="payments",webhook="a",label="Rejected (auth)"} 1',
      'dockbell_deliveries_total{factory="payments",webhook="a",label="Rejected (invalid JSON)"} 0',
      'dockbell_deliveries_total{factory="payments",webhook="a",label="Rejected (too large)"} 0',
    ]);
  });

  it('drop the series of webhooks that are deleted', async () => {
    const metrics = createMetrics(probes);
    for (const webhook of [WEBHOOK_A, WEBHOOK_B]) metrics.countDelivery(webhook, 'Accepted');
    metrics.keepWebhooks(keep(WEBHOOK_B));
    const lines = await linesOf(metrics, 'dockbell_deliveries_total');
    expect(lines).toHaveLength(5);
    expect(lines.every((line) => line.includes('webhook="b"'))).toBe(true);
    metrics.countDelivery(WEBHOOK_A, 'Accepted');
    expect(
      await linesOf(metrics, 'dockbell_deliveries_total{factory="payments",webhook="a",label="Accepted"}'),
    ).toHaveLength(1);
  });

  it('count deliveries of a renamed webhook under its new name', async () => {
    const metrics = createMetrics(probes);
    metrics.countDelivery(WEBHOOK_A, 'Accepted');
    await metrics.render();
    const renamed = { ...WEBHOOK_A, name: 'c' };
    metrics.keepWebhooks(keep(renamed));
    metrics.countDelivery(renamed, 'Accepted');
    const lines = await linesOf(metrics, 'dockbell_deliveries_total');
    expect(lines).toHaveLength(5);
    expect(lines[0]).toBe('dockbell_deliveries_total{factory="payments",webhook="c",label="Accepted"} 1');
  });

  it('look up traffic, totals of runs and the age of queues at each scrape', async () => {
    const metrics = createMetrics(probes);
    await metrics.render();
    expect(await linesOf(metrics, 'dockbell_last_accepted')).toEqual([
      'dockbell_last_accepted_timestamp_seconds{factory="payments",webhook="ci"} 1.5',
    ]);
    expect(await linesOf(metrics, 'dockbell_credential_failing')).toEqual([
      'dockbell_credential_failing_since_timestamp_seconds{factory="payments",webhook="old"} 2',
    ]);
    expect(await linesOf(metrics, 'dockbell_runs_total')).toEqual([
      'dockbell_runs_total{factory="payments",automation="fix",state="succeeded"} 7',
      'dockbell_runs_total{factory="payments",automation="fix",state="failed"} 2',
      'dockbell_runs_total{factory="payments",automation="fix",state="cancelled"} 1',
    ]);
    expect(await linesOf(metrics, 'dockbell_recent_failed')).toEqual([
      'dockbell_recent_failed_runs{factory="payments",automation="fix"} 2',
    ]);
    expect(await linesOf(metrics, 'dockbell_run_queue_age')).toEqual([
      'dockbell_run_queue_age_seconds{factory="payments"} 90',
    ]);
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
    expect(await linesOf(metrics, 'dockbell_runs{')).toEqual([
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
      ...probes,
      countRuns: () => (isDown ? fail() : probes.countRuns()),
      factoryReadiness: () => (isDown ? fail() : probes.factoryReadiness()),
    });
    metrics.countDelivery(WEBHOOK_A, 'Accepted');
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
