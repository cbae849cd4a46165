// Metrics. In: counts that other rooms report while they work (`domain/ports/metrics.ts`), and reads when somebody asks
// (`metric-probes.ts`). Out: the text of `/metrics`. docs/operations/monitoring.md lists all names.
// Next: `probed-gauges.ts` for reads, `run-metrics.ts` and `webhook-counters.ts` for counts. Traces have a separate entrance:
// `operations/observability/tracing/open-tracing.ts`.

import { Counter, Gauge, Registry } from 'prom-client';
import { RECONCILIATION_RESULTS, type ReconciliationResult } from '../../../domain/applies/reconciliation.ts';
import type { BuildIdentity } from '../../../domain/build-identity.ts';
import {
  type AlertMetrics,
  type CountedWebhook,
  type IngressMetrics,
  NOTICE_OUTCOMES,
  type NotifyMetrics,
  type SignInMetrics,
} from '../../../domain/ports/metrics.ts';
import type { RunObserver } from '../../../domain/ports/run-control.ts';
import { SPAN_OUTCOMES, type SpanOutcome } from '../../../domain/ports/tracing.ts';
import { Histogram } from '../../../domain/telemetry/histogram.ts';
import type { WriteMeasures } from '../../../domain/telemetry/write-measures.ts';
import { UNLOGGED_REASONS, type UnloggedReason } from '../../../domain/words/unlogged-reasons.ts';
import { renderHistograms } from './histogram-text.ts';
import type { MetricProbes } from './metric-probes.ts';
import { MAX_NAMED_WEBHOOKS, NamedSeries } from './named-series.ts';
import { registerProbedGauges } from './probed-gauges.ts';
import { registerProcessMetrics } from './process-metrics.ts';
import { createRejectionCounter } from './rejection-counter.ts';
import { createRunMetrics } from './run-metrics.ts';
import { createUnloggedCounters, createWebhookCounters } from './webhook-counters.ts';

interface MetricsParts {
  probes: MetricProbes;
  /** Measured by the storage. */
  writes: WriteMeasures;
  build: BuildIdentity;
}

/** The metrics of the daemon, in a separate registry. */
export interface Metrics extends IngressMetrics, NotifyMetrics, SignInMetrics, AlertMetrics {
  /** Counts requests to a known webhook that get no row in the delivery log. */
  countUnlogged(webhook: { factory: string; name: string }, reason: UnloggedReason, count: number): void;
  countReconciliation(factory: string, result: ReconciliationResult): void;
  /** Measures the attempts of runs. */
  runs: RunObserver;
  countSpans(outcome: SpanOutcome, count: number): void;
  /** Removes the series of all other webhooks and names, so that labels do not accumulate over years. To be called after an apply. */
  keepWebhooks(webhooks: ReadonlyMap<string, CountedWebhook>): void;
  /** Removes what is counted under the name of a factory that was forgotten or renamed. */
  forgetFactory(factory: string): void;
  /** The text of a scrape. If a probe fails, only its gauge is `NaN`. */
  render(): Promise<string>;
  /** Media type of that text. */
  readonly contentType: string;
}

const INGRESS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Creates the metrics. Their names are part of the interface: dashboards and alerts use them. */
export function createMetrics({ probes, writes, build }: MetricsParts): Metrics {
  const registry = new Registry();
  registerProcessMetrics(registry);
  registerBuildInfo(registry, build);
  const namedWebhooks = new NamedSeries(MAX_NAMED_WEBHOOKS);
  const webhooks = createWebhookCounters(registry, namedWebhooks);
  const unlogged = createUnloggedCounters(registry);
  const countRejection = createRejectionCounter(registry);
  const runs = createRunMetrics(registry, () => probes.runTotals().catch(() => null));
  const ingressSeconds = new Histogram(INGRESS_SECONDS);
  const reconciliations = new Counter({
    name: 'dockbell_reconciliations_total',
    help: 'Reconciliations by result.',
    labelNames: ['factory', 'result'],
    registers: [registry],
  });
  const notices = new Counter({
    name: 'dockbell_commit_statuses_total',
    help: 'Attempts to report a commit to a target, by factory, type of target and outcome.',
    labelNames: ['factory', 'type', 'outcome'],
    registers: [registry],
  });
  const alertMessages = new Counter({
    name: 'dockbell_alert_messages_total',
    help: 'Attempts to send a message about alerts, by target and outcome.',
    labelNames: ['target', 'outcome'],
    registers: [registry],
  });
  const signIns = new Counter({
    name: 'dockbell_sign_ins_total',
    help: 'Sign-in attempts to the dashboard, by method and outcome.',
    labelNames: ['method', 'outcome'],
    registers: [registry],
  });
  const spans = new Counter({
    name: 'dockbell_spans_total',
    help: 'Spans by outcome of their export. Dropped ones found too many others waiting.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of SPAN_OUTCOMES) spans.inc({ outcome }, 0);
  const noticeTypes = new Set<string>();
  registerProbedGauges(registry, probes, namedWebhooks);
  return {
    countDelivery: webhooks.countDelivery,
    observeDelivery: (seconds) => ingressSeconds.observe(seconds),
    countHandshake: webhooks.countHandshake,
    keepWebhooks: webhooks.keepWebhooks,
    forgetFactory: (factory) => {
      for (const { forgetFactory } of [webhooks, unlogged, runs]) forgetFactory(factory);
      for (const result of RECONCILIATION_RESULTS) reconciliations.remove({ factory, result });
      for (const type of noticeTypes) {
        for (const outcome of NOTICE_OUTCOMES) notices.remove({ factory, type, outcome });
      }
    },
    countRejection: (reason) => countRejection(reason, 1),
    countUnlogged: (webhook, reason, count) => {
      unlogged.countUnlogged(webhook, reason, count);
      const { rejection } = UNLOGGED_REASONS[reason];
      if (rejection !== null) countRejection(rejection, count);
    },
    countReconciliation: (factory, result) => reconciliations.inc({ factory, result }),
    countSignIn: (method, outcome) => signIns.inc({ method, outcome }),
    countNotice: (factory, type, outcome) => {
      noticeTypes.add(type);
      notices.inc({ factory, type, outcome });
    },
    countAlertMessage: (target, outcome) => alertMessages.inc({ target, outcome }),
    runs,
    countSpans: (outcome, count) => spans.inc({ outcome }, count),
    render: async () => (await registry.metrics()) + renderUnlabelled(ingressSeconds, writes) + runs.renderHistograms(),
    contentType: registry.contentType,
  };
}

/** What the build did not know is an empty label, which Prometheus treats as absent. */
function registerBuildInfo(registry: Registry, { version, commit, builtAt, node, sqlite }: BuildIdentity): void {
  const info = new Gauge({
    name: 'dockbell_build_info',
    help: 'Always 1. The labels are the version, commit and build time of Dockbell, and the versions of Node.js and SQLite.',
    labelNames: ['version', 'commit', 'built_at', 'node_version', 'sqlite_version'],
    registers: [registry],
  });
  const known = { commit: commit ?? '', built_at: builtAt ?? '', sqlite_version: sqlite ?? '' };
  info.set({ version, node_version: node, ...known }, 1);
}

function renderUnlabelled(ingressSeconds: Histogram, { batchSize, commitSeconds }: WriteMeasures): string {
  const render = (name: string, help: string, histogram: Histogram) =>
    renderHistograms(name, help, [{ labels: '', histogram }]);
  return (
    render(
      'dockbell_ingress_duration_seconds',
      'Time from the headers of a request to its answer 202, for deliveries that are stored.',
      ingressSeconds,
    ) +
    render('dockbell_storage_batch_size', 'Entries of the delivery log in one transaction of the storage.', batchSize) +
    render(
      'dockbell_storage_commit_seconds',
      'Duration of the commits that store deliveries, which includes the fsync.',
      commitSeconds,
    )
  );
}
