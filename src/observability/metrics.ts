import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { DeliveryLabel } from '../core/delivery.ts';
import { DELIVERY_LABELS } from '../core/delivery.ts';
import type { IngressMetrics, UnloggedRefusal } from '../core/ports/metrics.ts';
import type { ReconciliationResult } from '../core/reconciliation.ts';

/** What is looked up at the moment of a scrape. */
export interface MetricProbes {
  countRuns(): Promise<{ queued: number; running: number }>;
  /** Per factory: is a definition live and its last reconciliation without fault? */
  factoryReadiness(): Promise<{ factory: string; isReady: boolean }[]>;
}

/** The daemon's metrics, in a registry of their own. */
export interface Metrics extends IngressMetrics {
  countReconciliation(factory: string, result: ReconciliationResult): void;
  /** Drops the series of all webhooks but these, so that labels do not pile up over years. Call it after an apply. */
  keepWebhooks(uids: Iterable<string>): void;
  /** The text of a scrape. A probe that fails makes its own gauge `NaN`, and leaves the others in place. */
  render(): Promise<string>;
  /** Media type of that text. */
  readonly contentType: string;
}

type Child = { inc(): void };

/** Builds the metrics. `dockbell_` names are part of the interface: dashboards and alerts are built on them. */
export function createMetrics(probes: MetricProbes): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const deliveries = createDeliveryCounter(registry);
  const countRefusal = createRefusalCounter(registry);
  const reconciliations = new Counter({
    name: 'dockbell_reconciliations_total',
    help: 'Passes of the reconciliation loop by result.',
    labelNames: ['factory', 'result'],
    registers: [registry],
  });
  registerRunGauge(registry, probes);
  registerReadinessGauge(registry, probes);
  return {
    ...deliveries,
    countRefusal,
    countReconciliation: (factory, result) => reconciliations.inc({ factory, result }),
    render: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** Counts on the hot path: the child of each pair of labels is looked up once and then kept. */
function createDeliveryCounter(registry: Registry): Pick<Metrics, 'countDelivery' | 'keepWebhooks'> {
  const counter = new Counter({
    name: 'dockbell_deliveries_total',
    help: 'Deliveries by webhook UID and label of the delivery log.',
    labelNames: ['webhook', 'label'],
    registers: [registry],
  });
  const childrenByWebhook = new Map<string, Map<DeliveryLabel, Child>>();
  // All labels start at 0, so that the first delivery of a kind is already an increase.
  const addWebhook = (webhook: string) => {
    const children = new Map(DELIVERY_LABELS.map((label) => [label, startAtZero(counter, { webhook, label })]));
    childrenByWebhook.set(webhook, children);
    return children;
  };
  return {
    countDelivery: (webhook, label) => {
      (childrenByWebhook.get(webhook) ?? addWebhook(webhook)).get(label)?.inc();
    },
    keepWebhooks: (uids) => {
      const kept = new Set(uids);
      for (const webhook of [...childrenByWebhook.keys()].filter((uid) => !kept.has(uid))) {
        childrenByWebhook.delete(webhook);
        for (const label of DELIVERY_LABELS) counter.remove({ webhook, label });
      }
    },
  };
}

function createRefusalCounter(registry: Registry): Metrics['countRefusal'] {
  const counter = new Counter({
    name: 'dockbell_ingress_refusals_total',
    help: 'Requests turned away without a row in the delivery log, by reason.',
    labelNames: ['reason'],
    registers: [registry],
  });
  const children = new Map<UnloggedRefusal, Child>();
  return (reason) => {
    let child = children.get(reason);
    if (child === undefined) {
      child = startAtZero(counter, { reason });
      children.set(reason, child);
    }
    child.inc();
  };
}

function startAtZero<Label extends string>(counter: Counter<Label>, labels: Record<Label, string>): Child {
  counter.inc(labels, 0);
  return counter.labels(labels);
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

function registerReadinessGauge(registry: Registry, probes: MetricProbes): void {
  let known: string[] = [];
  new Gauge({
    name: 'dockbell_factory_ready',
    help: 'Is a definition of the factory live and its last reconciliation without fault: 1 or 0.',
    labelNames: ['factory'],
    registers: [registry],
    async collect() {
      const states = await probes.factoryReadiness().catch(() => null);
      this.reset();
      if (states !== null) known = states.map(({ factory }) => factory);
      for (const factory of known) {
        const isReady = states?.find((state) => state.factory === factory)?.isReady;
        this.set({ factory }, isReady === undefined ? Number.NaN : Number(isReady));
      }
    },
  });
}
