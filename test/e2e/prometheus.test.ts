import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { applyCiFactory, CI_TOKEN, configureCiFactory, createCiRepository } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { hasPrometheus, runPromtool, startPrometheus, type TestPrometheus } from '../helpers/prometheus.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import type { TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));
const RULES = join(DEPLOY, 'prometheus/dockbell.rules.yml');

interface Rule {
  alert: string;
  expr: string;
  for?: string;
}

interface Panel {
  title: string;
  targets?: { expr: string }[];
}

/** Panels without a series in this test. */
const MAY_BE_EMPTY = ['Commit statuses'];

describe.skipIf(!hasPrometheus('the alert rules and the Grafana dashboard'))('Prometheus', () => {
  let repo: TempGitRepo;
  let daemon: TestDaemon;
  let url: string;

  const send = (token: string, method = 'POST') =>
    fetch(url, {
      method,
      headers: { authorization: `Bearer ${token}` },
      body: method === 'POST' ? JSON.stringify({ start: true, id: crypto.randomUUID() }) : null,
    });
  beforeAll(async () => {
    repo = await createCiRepository();
    daemon = await startDaemonHere({ config: configureCiFactory(repo, ['/bin/false']) });
    url = `${daemon.ingressUrl}/webhooks/w/${await applyCiFactory(daemon)}`;
  });
  afterAll(async () => {
    await daemon.end('SIGTERM');
    repo.remove();
  });

  it('finds no mistake in the metrics of a daemon', async () => {
    expect((await send(CI_TOKEN)).status).toBe(202);
    const text = (await daemon.api('/../../metrics')).body as string;
    expect(text).toContain('dockbell_ingress_duration_seconds_count 1');
    expect(runPromtool(['check', 'metrics'], text)).toEqual({ code: 0, output: '' });
  });

  it('accepts the alert rules and the configuration, and each rule fires in its unit test', { tags: 'full' }, () => {
    expect(runPromtool(['check', 'rules', RULES])).toMatchObject({ code: 0 });
    expect(runPromtool(['check', 'config', '--syntax-only', join(DEPLOY, 'prometheus/prometheus.yml')])).toMatchObject({
      code: 0,
    });
    expect(runPromtool(['test', 'rules', join(DEPLOY, 'prometheus/dockbell.rules.test.yml')])).toMatchObject({
      code: 0,
    });
  });

  describe('that scrapes the daemon', { tags: ['full', 'continues'] }, () => {
    let prometheus: TestPrometheus;
    const isFiring = async (alert: string) =>
      (await prometheus.query(`ALERTS{alertname="${alert}",alertstate="firing"}`)).length > 0;

    beforeAll(async () => {
      prometheus = await startPrometheus(await configure());
    });
    afterAll(() => prometheus.stop());

    /** The rules without their waiting times, which are longer than a test. */
    async function configure(): Promise<object> {
      const rules = parse(readFileSync(RULES, 'utf8')) as { groups: { rules: Rule[] }[] };
      for (const rule of rules.groups.flatMap((group) => group.rules)) delete rule.for;
      const file = join(createTempDir('rules'), 'rules.json');
      writeFileSync(file, JSON.stringify(rules));
      const job = {
        job_name: 'dockbell',
        authorization: { credentials_file: join(daemon.dataDir, 'admin-token') },
        static_configs: [{ targets: [new URL(daemon.adminUrl).host] }],
      };
      return {
        global: { scrape_interval: '500ms', evaluation_interval: '500ms' },
        rule_files: [file],
        scrape_configs: [job],
      };
    }

    it('fires alerts for failing runs, and for a commit that cannot be applied', async () => {
      await eventually(async () => (await prometheus.query('dockbell_runs_total{state="failed"} >= 1')).length === 2);
      expect(await isFiring('DockbellRunsFailing')).toBe(false);
      for (let sent = 0; sent < 5; sent += 1) expect((await send(CI_TOKEN)).status).toBe(202);
      await eventually(() => isFiring('DockbellRunsFailing'), 30_000);
      const [firing] = await prometheus.query('ALERTS{alertname="DockbellRunsFailing"}');
      expect(firing!.labels).toMatchObject({ factory: 'payments', severity: 'warning' });

      expect(await isFiring('DockbellFactoryNotReady')).toBe(false);
      await repo.commit({ 'webhooks/ci.yaml': 'secretName: [1]\n' });
      await daemon.api('/factories/payments/reconcile', { method: 'POST' });
      await eventually(() => isFiring('DockbellFactoryNotReady'), 30_000);
      expect(await isFiring('DockbellDeliveriesLost')).toBe(false);
    });

    it('evaluates each query of the Grafana dashboard', async () => {
      expect((await send('a-wrong-token-of-the-sender')).status).toBe(401);
      expect((await send(CI_TOKEN, 'DELETE')).status).toBe(405);
      const dashboard = JSON.parse(readFileSync(join(DEPLOY, 'grafana/dockbell.json'), 'utf8')) as { panels: Panel[] };
      const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
        targets.map(({ expr }) => ({ title, expr })),
      );
      expect(queries.length).toBeGreaterThan(30);
      const failed = async () => {
        const empty: string[] = [];
        for (const { title, expr } of queries) {
          const found = await prometheus.query(expand(expr));
          if (found.length === 0 && !MAY_BE_EMPTY.includes(title)) empty.push(`${title}: ${expand(expr)}`);
        }
        return empty;
      };
      await expect.poll(failed, { timeout: 30_000 }).toEqual([]);
    });
  });
});

/** As Grafana replaces its variables. */
function expand(expression: string): string {
  const values = { $__rate_interval: '30s', $__range: '5m', $factory: '.*', $job: '.*' };
  return Object.entries(values).reduce((text, [name, value]) => text.replaceAll(name, value), expression);
}
