import { Gauge, type Registry } from 'prom-client';
import type { WebhookTraffic } from '../../../domain/deliveries/webhook-traffic.ts';
import type { SpentBudget } from '../../../domain/ports/run-queue.ts';
import type { MetricProbes } from './metric-probes.ts';
import { type NamedSeries, OTHER } from './named-series.ts';
import { shareReads } from './share-reads.ts';

/** Gauges whose values are read at each scrape. If a read fails, the gauge is `NaN` or has no series. */
export function registerProbedGauges(registry: Registry, probes: MetricProbes, namedWebhooks: NamedSeries): void {
  registerRunGauge(registry, probes);
  registerFactoryGauges(registry, probes);
  registerTrafficGauges(registry, probes, namedWebhooks);
  registerQueueAge(registry, probes);
  registerBudgets(registry, probes);
  registerDiskSpace(registry, probes);
  registerBackups(registry, probes);
  registerAlerts(registry, probes);
  registerGroup(registry, probes);
}

function registerRunGauge(registry: Registry, probes: MetricProbes): void {
  new Gauge({
    name: 'dockbell_runs',
    help: 'Runs that are queued or running.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const counts = await probes.countRuns().catch(() => ({ queued: Number.NaN, running: Number.NaN }));
      this.set({ state: 'queued' }, counts.queued);
      this.set({ state: 'running' }, counts.running);
    },
  });
}

function registerFactoryGauges(registry: Registry, probes: MetricProbes): void {
  const readFactories = shareReads(() => probes.factories().catch(() => null));
  let known: string[] = [];
  new Gauge({
    name: 'dockbell_factory_ready',
    help: '1 if a definition of the factory is live and its last reconciliation succeeded, else 0.',
    labelNames: ['factory'],
    registers: [registry],
    async collect() {
      const states = await readFactories();
      this.reset();
      if (states !== null) known = states.map(({ factory }) => factory);
      for (const factory of known) {
        const isReady = states?.find((state) => state.factory === factory)?.isReady;
        this.set({ factory }, isReady === undefined ? Number.NaN : Number(isReady));
      }
    },
  });
  new Gauge({
    name: 'dockbell_applied_timestamp_seconds',
    help: 'When a definition of the factory was last applied, as Unix time.',
    labelNames: ['factory'],
    registers: [registry],
    async collect() {
      const states = await readFactories();
      this.reset();
      for (const { factory, appliedAt } of states ?? []) {
        if (appliedAt !== null) this.set({ factory }, appliedAt / 1000);
      }
    },
  });
}

/** A webhook without a value has no series, and none has one if the probe fails. */
function registerTrafficGauges(registry: Registry, probes: MetricProbes, named: NamedSeries): void {
  const readTraffic = shareReads(() => probes.webhookTraffic().catch(() => []));
  const register = (name: string, help: string, pick: (traffic: WebhookTraffic) => number | null) =>
    new Gauge({
      name,
      help,
      labelNames: ['factory', 'webhook'],
      registers: [registry],
      async collect() {
        const webhooks = await readTraffic();
        this.reset();
        for (const { factory, webhook, traffic } of webhooks) {
          const atMs = pick(traffic);
          if (atMs !== null && named.labelOf(factory, webhook) !== OTHER) this.set({ factory, webhook }, atMs / 1000);
        }
      },
    });
  register(
    'dockbell_last_accepted_timestamp_seconds',
    'When the last delivery of a webhook was accepted, as Unix time.',
    ({ lastAcceptedAt }) => lastAcceptedAt,
  );
  register(
    'dockbell_credential_failing_since_timestamp_seconds',
    'The first request with a wrong credential since a webhook last accepted one, as Unix time.',
    ({ credentialFailure }) => credentialFailure?.since ?? null,
  );
}

function registerQueueAge(registry: Registry, probes: MetricProbes): void {
  new Gauge({
    name: 'dockbell_run_queue_age_seconds',
    help: 'How long the oldest queued run of a factory has waited, 0 if none is queued.',
    labelNames: ['factory'],
    registers: [registry],
    async collect() {
      const ages = await probes.queueAges().catch(() => []);
      this.reset();
      for (const { factory, ageMs } of ages) this.set({ factory }, ageMs / 1000);
    },
  });
}

/** Two gauges, because a change of the definition changes the limit. */
function registerBudgets(registry: Registry, probes: MetricProbes): void {
  const readBudgets = shareReads(() => probes.budgets().catch(() => []));
  const register = (name: string, help: string, pick: (budget: SpentBudget) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['factory', 'automation'],
      registers: [registry],
      async collect() {
        const budgets = await readBudgets();
        this.reset();
        for (const budget of budgets) {
          const { factory, automation } = budget;
          this.set({ factory, automation }, pick(budget));
        }
      },
    });
  register(
    'dockbell_budget_limit_runs',
    'Attempts that may start in the period of a budget. The automation is empty for the budget of a factory.',
    ({ limit }) => limit,
  );
  register(
    'dockbell_budget_used_runs',
    'Attempts that started in the period of a budget until now. The automation is empty for the budget of a factory.',
    ({ used }) => used,
  );
}

function registerDiskSpace(registry: Registry, probes: MetricProbes): void {
  const readSpace = shareReads(() =>
    probes.diskSpace().catch(() => ({ freeBytes: Number.NaN, sizeBytes: Number.NaN })),
  );
  new Gauge({
    name: 'dockbell_disk_free_bytes',
    help: 'Free space of the file system of the data directory.',
    registers: [registry],
    async collect() {
      this.set((await readSpace()).freeBytes);
    },
  });
  new Gauge({
    name: 'dockbell_disk_size_bytes',
    help: 'Size of the file system of the data directory.',
    registers: [registry],
    async collect() {
      this.set((await readSpace()).sizeBytes);
    },
  });
}

type BackupTimes = NonNullable<ReturnType<MetricProbes['lastBackup']>>;

/** Without a schedule there is no series. 0 if no backup was stored yet, so that an alert on its age works. */
function registerBackups(registry: Registry, probes: MetricProbes): void {
  const register = (name: string, help: string, pick: (last: BackupTimes) => number | null) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        const last = probes.lastBackup();
        this.remove();
        if (last !== null) this.set((pick(last) ?? 0) / 1000);
      },
    });
  register(
    'dockbell_backup_last_success_timestamp_seconds',
    'When the last scheduled backup was stored, as Unix time; 0 if none was stored.',
    ({ successMs }) => successMs,
  );
  register(
    'dockbell_backup_last_failure_timestamp_seconds',
    'When a scheduled backup last failed since the start, as Unix time; 0 if none failed.',
    ({ failureMs }) => failureMs,
  );
}

/** A rule without such alerts has no series. */
function registerAlerts(registry: Registry, probes: MetricProbes): void {
  new Gauge({
    name: 'dockbell_alerts_open',
    help: 'Alerts that are not resolved. The factory is empty for alerts about the installation.',
    labelNames: ['rule', 'factory'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { rule, factory, count } of probes.alertCounts()) this.set({ rule, factory: factory ?? '' }, count);
    },
  });
}

function registerGroup(registry: Registry, probes: MetricProbes): void {
  new Gauge({
    name: 'dockbell_leader',
    help: '1 if this daemon leads those that share its database, else 0. A daemon without others leads.',
    registers: [registry],
    collect() {
      this.set(Number(probes.group().leads));
    },
  });
  new Gauge({
    name: 'dockbell_replicas',
    help: 'Daemons that share the database and give signs of life, as this daemon sees them.',
    labelNames: ['role'],
    registers: [registry],
    collect() {
      const { leaders, followers } = probes.group();
      this.set({ role: 'leader' }, leaders);
      this.set({ role: 'follower' }, followers);
    },
  });
  new Gauge({
    name: 'dockbell_live_changes_behind',
    help: 'Changes of definitions that were applied, and that this daemon does not serve yet.',
    registers: [registry],
    collect() {
      this.set(probes.group().changesBehind);
    },
  });
}
