import { describe, expect, it } from 'vitest';
import type { Run } from '../../../domain/resources/run.ts';
import { openMeasures } from '../../../domain/telemetry/write-measures.ts';
import type { MetricProbes } from './metric-probes.ts';
import { createMetrics } from './metrics.ts';
import { MAX_NAMED_AUTOMATIONS, MAX_NAMED_WEBHOOKS } from './named-series.ts';

const probes: MetricProbes = {
  countRuns: async () => ({ queued: 3, running: 2 }),
  factories: async () => [
    { factory: 'payments', isReady: true, appliedAt: 4_000 },
    { factory: 'search', isReady: false, appliedAt: null },
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
  alertCounts: () => [],
  group: () => ({ leads: true, leaders: 1, followers: 0, changesBehind: 0 }),
  budgets: async () => [
    { factory: 'payments', automation: '', limit: 200, used: 7 },
    { factory: 'payments', automation: 'fix', limit: 3, used: 3 },
  ],
  lastBackup: () => ({ successMs: 1_000, failureMs: null }),
  queueAges: async () => [{ factory: 'payments', ageMs: 90_000 }],
  diskSpace: async () => ({ freeBytes: 5, sizeBytes: 10 }),
};

const BUILD = {
  version: '1.2.3',
  commit: '2d7a129fc6d1',
  builtAt: '2026-01-02T03:00:00.000Z',
  node: '24.0.0',
  sqlite: null,
};

const create = (changed: Partial<MetricProbes> = {}, writes = openMeasures()) =>
  createMetrics({ probes: { ...probes, ...changed }, writes, build: BUILD });

const WEBHOOK_A = { uid: 'wh_a', factory: 'payments', name: 'a' };
const WEBHOOK_B = { uid: 'wh_b', factory: 'payments', name: 'b' };
const RUN = { factory: 'payments', automation: 'fix', startedAt: 0 } as Run;
const FAILED = { state: 'failed', error: 'exit code 1', exitCode: 1 } as const;
const keep = (...webhooks: (typeof WEBHOOK_A)[]) => new Map(webhooks.map((webhook) => [webhook.uid, webhook]));

const linesOf = async (metrics: { render(): Promise<string> }, name: string) =>
  (await metrics.render()).split('\n').filter((line) => line.startsWith(name));

describe('metrics', () => {
  it('count deliveries by webhook and label, and show every label from the first delivery on', async () => {
    const metrics = create();
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
    const metrics = create();
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
    const metrics = create();
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
    const metrics = create();
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
    const metrics = create();
    metrics.countRejection('not_found');
    metrics.countRejection('not_found');
    metrics.countReconciliation('payments', 'applied');
    expect(await linesOf(metrics, 'dockbell_ingress_refusals')).toEqual([
      'dockbell_ingress_refusals_total{reason="not_found"} 2',
      ...[
        'method_not_allowed',
        'delivery_rate',
        'failed_auth_rate',
        'rejection_rows',
        'overloaded',
        'storage',
        'internal',
      ].map((reason) => `dockbell_ingress_refusals_total{reason="${reason}"} 0`),
    ]);
    metrics.countRejection('not_found');
    expect(await linesOf(metrics, 'dockbell_ingress_refusals_total{reason="not_found"}')).toEqual([
      'dockbell_ingress_refusals_total{reason="not_found"} 3',
    ]);
    expect(await linesOf(metrics, 'dockbell_reconciliations')).toEqual([
      'dockbell_reconciliations_total{factory="payments",result="applied"} 1',
    ]);
  });

  it('count unlogged requests by the names of factory and webhook, and as 0.1.0 named the reasons', async () => {
    const metrics = create();
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
      const series = await linesOf(metrics, 'dockbell_ingress_refusals_total{');
      expect(series.filter((line) => !line.endsWith(' 0'))).toEqual([
        'dockbell_ingress_refusals_total{reason="not_found"} 2',
        'dockbell_ingress_refusals_total{reason="delivery_rate"} 3',
      ]);
    }
  });

  it('look up budgets, with an empty automation for the one of a factory', async () => {
    expect(await linesOf(create(), 'dockbell_budget_')).toEqual([
      'dockbell_budget_limit_runs{factory="payments",automation=""} 200',
      'dockbell_budget_limit_runs{factory="payments",automation="fix"} 3',
      'dockbell_budget_used_runs{factory="payments",automation=""} 7',
      'dockbell_budget_used_runs{factory="payments",automation="fix"} 3',
    ]);
    const broken = create({ budgets: async () => Promise.reject(new Error('down')) });
    expect(await linesOf(broken, 'dockbell_budget_')).toEqual([]);
  });

  it('look up runs and readiness at each scrape', async () => {
    const metrics = create();
    expect(await linesOf(metrics, 'dockbell_runs{')).toEqual([
      'dockbell_runs{state="queued"} 3',
      'dockbell_runs{state="running"} 2',
    ]);
    expect(await linesOf(metrics, 'dockbell_factory_ready')).toEqual([
      'dockbell_factory_ready{factory="payments"} 1',
      'dockbell_factory_ready{factory="search"} 0',
    ]);
  });

  it('name the last scheduled backup, and have no series for it without a schedule', async () => {
    const times = { lastBackup: () => ({ successMs: 1_795_410_000_000, failureMs: null }) };
    expect(await linesOf(create(times), 'dockbell_backup_last_')).toEqual([
      'dockbell_backup_last_success_timestamp_seconds 1795410000',
      'dockbell_backup_last_failure_timestamp_seconds 0',
    ]);
    expect(await linesOf(create({ lastBackup: () => null }), 'dockbell_backup_last_')).toEqual([]);
  });

  it('stay readable when a probe fails', async () => {
    let isDown = false;
    const fail = async () => Promise.reject(new Error('down'));
    const metrics = create({
      countRuns: () => (isDown ? fail() : probes.countRuns()),
      factories: () => (isDown ? fail() : probes.factories()),
    });
    metrics.countDelivery(WEBHOOK_A, 'Accepted');
    await metrics.render();
    isDown = true;
    expect(await linesOf(metrics, 'dockbell_deliveries_total')).toHaveLength(5);
    expect((await linesOf(metrics, 'dockbell_runs{state="queued"}'))[0]).toMatch(/ nan$/i);
    expect((await linesOf(metrics, 'dockbell_factory_ready{factory="search"}'))[0]).toMatch(/ nan$/i);
  });

  it('count the handshakes of a webhook by its names, until it is deleted', async () => {
    const metrics = create();
    metrics.countHandshake(WEBHOOK_A, 'answered');
    expect(await linesOf(metrics, 'dockbell_handshakes_total{')).toEqual([
      'dockbell_handshakes_total{factory="payments",webhook="a",outcome="answered"} 1',
    ]);
    metrics.keepWebhooks(keep(WEBHOOK_B));
    expect(await linesOf(metrics, 'dockbell_handshakes_total{')).toEqual([]);
  });

  it('measure deliveries, and show what the storage measured', async () => {
    const writes = openMeasures();
    const metrics = create({}, writes);
    metrics.observeDelivery(0.004);
    metrics.observeDelivery(20);
    writes.batchSize.observe(3);
    writes.commitSeconds.observe(0.002);
    const ingress = await linesOf(metrics, 'dockbell_ingress_duration_seconds');
    expect(ingress.slice(0, 3)).toEqual([
      'dockbell_ingress_duration_seconds_bucket{le="0.001"} 0',
      'dockbell_ingress_duration_seconds_bucket{le="0.0025"} 0',
      'dockbell_ingress_duration_seconds_bucket{le="0.005"} 1',
    ]);
    expect(ingress.slice(-4)).toEqual([
      'dockbell_ingress_duration_seconds_bucket{le="10"} 1',
      'dockbell_ingress_duration_seconds_bucket{le="+Inf"} 2',
      'dockbell_ingress_duration_seconds_sum 20.004',
      'dockbell_ingress_duration_seconds_count 2',
    ]);
    expect(await linesOf(metrics, 'dockbell_storage_batch_size_bucket{le="4"}')).toEqual([
      'dockbell_storage_batch_size_bucket{le="4"} 1',
    ]);
    expect(await linesOf(metrics, 'dockbell_storage_commit_seconds_sum')).toEqual([
      'dockbell_storage_commit_seconds_sum 0.002',
    ]);
  });

  it('measure the attempts of runs', async () => {
    const metrics = create();
    metrics.runs.onClaimed({ ...RUN, startedAt: 3_000 }, 1_000);
    metrics.runs.onEnded({ ...RUN, startedAt: 3_000 }, FAILED, 15_000);
    expect(await linesOf(metrics, 'dockbell_run_queue_seconds_sum')).toEqual([
      'dockbell_run_queue_seconds_sum{factory="payments"} 2',
    ]);
    const ofRun = 'factory="payments",automation="fix"';
    expect(await linesOf(metrics, `dockbell_run_duration_seconds_sum{${ofRun}}`)).toEqual([
      `dockbell_run_duration_seconds_sum{${ofRun}} 12`,
    ]);
    expect(await linesOf(metrics, `dockbell_run_duration_seconds_bucket{${ofRun},le="15"}`)).toEqual([
      `dockbell_run_duration_seconds_bucket{${ofRun},le="15"} 1`,
    ]);
  });

  it('remove the histogram of a deleted automation, and all series of a forgotten factory', async () => {
    let totals = await probes.runTotals();
    const metrics = create({ runTotals: async () => totals });
    for (const run of [RUN, { ...RUN, factory: 'search' }]) {
      metrics.runs.onClaimed(run, 0);
      metrics.runs.onEnded(run, FAILED, 5_000);
    }
    metrics.countReconciliation('search', 'failed');
    metrics.countNotice('search', 'github', 'posted');
    metrics.countDelivery({ ...WEBHOOK_B, factory: 'search' }, 'Accepted');
    metrics.forgetFactory('search');
    expect((await metrics.render()).match(/^dockbell_(?!factory_ready).*"search".*$/gm)).toBeNull();
    totals = [];
    await metrics.render();
    expect(await linesOf(metrics, 'dockbell_run_duration_seconds_count')).toEqual([]);
    expect(await linesOf(metrics, 'dockbell_run_queue_seconds_count')).toHaveLength(1);
  });

  it('show when a factory was applied, the versions, and the space on disk', async () => {
    const metrics = create();
    expect(await linesOf(metrics, 'dockbell_applied_timestamp_seconds')).toEqual([
      'dockbell_applied_timestamp_seconds{factory="payments"} 4',
    ]);
    expect(await linesOf(metrics, 'dockbell_build_info')).toEqual([
      'dockbell_build_info{version="1.2.3",node_version="24.0.0",commit="2d7a129fc6d1",built_at="2026-01-02T03:00:00.000Z",sqlite_version=""} 1',
    ]);
    expect(await linesOf(metrics, 'dockbell_disk')).toEqual([
      'dockbell_disk_free_bytes 5',
      'dockbell_disk_size_bytes 10',
    ]);
  });

  it('tell about the process, in a registry separate', async () => {
    expect(await linesOf(create(), 'process_cpu_seconds_total')).toHaveLength(1);
    expect(await linesOf(create(), 'nodejs_eventloop_lag_seconds')).toHaveLength(1);
  });
});

describe('metrics of a large daemon', () => {
  const name = (index: number) => `automation-${String(index).padStart(5, '0')}`;
  const total = (index: number, failed: number) => ({
    factory: 'payments',
    automation: name(index),
    ended: { succeeded: 10, failed, cancelled: 0 },
    recentFailed: 1,
  });
  const other = 'dockbell_runs_total{factory="payments",automation="_other",state="failed"}';

  it('name a limited number of automations, and count the others together since the start', async () => {
    const last = MAX_NAMED_AUTOMATIONS + 1;
    let totals = Array.from({ length: last + 1 }, (_, index) => total(index, 5));
    const metrics = create({ runTotals: async () => totals });
    expect(await linesOf(metrics, 'dockbell_recent_failed_runs{')).toHaveLength(MAX_NAMED_AUTOMATIONS);
    expect(await linesOf(metrics, other)).toEqual([`${other} 0`]);
    metrics.runs.onEnded({ ...RUN, automation: name(last) }, FAILED, 1);
    totals[last] = total(last, 7);
    expect(await linesOf(metrics, other)).toEqual([`${other} 2`]);
    expect(await linesOf(metrics, 'dockbell_run_duration_seconds_count')).toEqual([
      'dockbell_run_duration_seconds_count{factory="payments",automation="_other"} 1',
    ]);
    // An automation that gets a name takes its runs from the sum, which must not look like a reset.
    totals = totals.slice(1);
    expect(await linesOf(metrics, other)).toEqual([`${other} 2`]);
    const named = `dockbell_runs_total{factory="payments",automation="${name(last - 1)}",state="failed"}`;
    expect(await linesOf(metrics, named)).toEqual([`${named} 5`]);
  });

  it('name a limited number of webhooks', async () => {
    const metrics = create();
    for (let index = 0; index < MAX_NAMED_WEBHOOKS + 5; index += 1) {
      metrics.countDelivery({ uid: `wh_${index}`, factory: 'payments', name: `hook-${index}` }, 'Accepted');
      metrics.countUnlogged({ factory: 'payments', name: `hook-${index}` }, 'deleted', 1);
    }
    expect(await linesOf(metrics, 'dockbell_deliveries_total{factory="payments",webhook="_other",label="Acc')).toEqual([
      'dockbell_deliveries_total{factory="payments",webhook="_other",label="Accepted"} 5',
    ]);
    expect(await linesOf(metrics, 'dockbell_deliveries_total{')).toHaveLength((MAX_NAMED_WEBHOOKS + 1) * 5);
    expect(await linesOf(metrics, 'dockbell_requests_refused_total{')).toHaveLength(MAX_NAMED_WEBHOOKS + 1);
    expect(await linesOf(metrics, 'dockbell_last_accepted')).toEqual([]);
  });
});
