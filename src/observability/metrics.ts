import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { HANDSHAKE_OUTCOMES } from '../core/handshake.ts';
import type { RunTotals } from '../core/ports/definitions/inventory.ts';
import type {
  CountedWebhook,
  IngressMetrics,
  NotifyMetrics,
  SignInMetrics,
  UnloggedRejection,
} from '../core/ports/metrics.ts';
import type { ReconciliationResult } from '../core/reconciliation.ts';
import type { DeliveryLabel } from '../core/resources/delivery.ts';
import { DELIVERY_LABELS } from '../core/resources/delivery.ts';
import { RECENT_RUNS } from '../core/run-results.ts';
import type { WebhookTraffic } from '../core/webhook-traffic.ts';
import type { UnloggedReason } from '../words/unlogged-reasons.ts';

/** Values that are read at each scrape. */
export interface MetricProbes {
  countRuns(): Promise<{ queued: number; running: number }>;
  /** Per factory: is a definition live, and did its last reconciliation succeed? */
  factoryReadiness(): Promise<{ factory: string; isReady: boolean }[]>;
  /** Of each webhook that exists. */
  webhookTraffic(): Promise<{ factory: string; webhook: string; traffic: WebhookTraffic }[]>;
  /** Of each automation with ended runs. */
  runTotals(): Promise<RunTotals[]>;
  /** Per factory: how long its oldest queued run has waited, 0 if none is queued. */
  queueAges(): Promise<{ factory: string; ageMs: number }[]>;
}

/** The metrics of the daemon, in a separate registry. */
export interface Metrics extends IngressMetrics, NotifyMetrics, SignInMetrics {
  /** Counts requests to a known webhook that get no row in the delivery log. */
  countUnlogged(webhook: { factory: string; name: string }, reason: UnloggedReason, count: number): void;
  countReconciliation(factory: string, result: ReconciliationResult): void;
  /** Removes the series of all other webhooks and names, so that labels do not accumulate over years. To be called after an apply. */
  keepWebhooks(webhooks: ReadonlyMap<string, CountedWebhook>): void;
  /** Removes what is counted under the name of a factory that was forgotten or renamed. */
  forgetFactory(factory: string): void;
  /** The text of a scrape. If a probe fails, only its gauge is `NaN`. */
  render(): Promise<string>;
  /** Media type of that text. */
  readonly contentType: string;
}

/** The count since the last scrape. A plain number, because each `inc` of a counter creates a text and an object. */
interface Tally {
  pending: number;
}

/** Creates the metrics. Their names are part of the interface: dashboards and alerts use them. */
export function createMetrics(probes: MetricProbes): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const deliveries = createDeliveryCounter(registry);
  const countRejection = createRejectionCounter(registry);
  const unlogged = createUnloggedCounter(registry);
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
  const signIns = new Counter({
    name: 'dockbell_sign_ins_total',
    help: 'Sign-in attempts to the dashboard, by method and outcome.',
    labelNames: ['method', 'outcome'],
    registers: [registry],
  });
  const handshakes = new Counter({
    name: 'dockbell_handshakes_total',
    help: 'Handshake requests of providers, by webhook UID and outcome.',
    labelNames: ['webhook', 'outcome'],
    registers: [registry],
  });
  const webhooksWithHandshakes = new Set<string>();
  registerRunGauge(registry, probes);
  registerReadinessGauge(registry, probes);
  registerTrafficGauges(registry, probes);
  registerRunTotals(registry, probes);
  registerQueueAge(registry, probes);
  return {
    countDelivery: deliveries.countDelivery,
    countHandshake: (webhook, outcome) => {
      webhooksWithHandshakes.add(webhook);
      handshakes.inc({ webhook, outcome });
    },
    keepWebhooks: (kept) => {
      deliveries.keepWebhooks(kept);
      for (const webhook of [...webhooksWithHandshakes].filter((uid) => !kept.has(uid))) {
        webhooksWithHandshakes.delete(webhook);
        for (const outcome of HANDSHAKE_OUTCOMES) handshakes.remove({ webhook, outcome });
      }
    },
    forgetFactory: unlogged.forgetFactory,
    countRejection: (reason) => countRejection(reason, 1),
    countUnlogged: (webhook, reason, count) => {
      unlogged.countUnlogged(webhook, reason, count);
      const group = REJECTION_OF_UNLOGGED[reason];
      if (group !== null) countRejection(group, count);
    },
    countReconciliation: (factory, result) => reconciliations.inc({ factory, result }),
    countSignIn: (method, outcome) => signIns.inc({ method, outcome }),
    countNotice: (factory, type, outcome) => notices.inc({ factory, type, outcome }),
    render: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** The labels of a webhook, and its tallies by label of the delivery log. */
interface CountedDeliveries {
  factory: string;
  name: string;
  tallies: Map<DeliveryLabel, Tally>;
}

/** Counts without allocations on the hot path; a scrape adds the tallies to the counter. */
function createDeliveryCounter(registry: Registry): Pick<Metrics, 'countDelivery' | 'keepWebhooks'> {
  const byUid = new Map<string, CountedDeliveries>();
  const counter = new Counter({
    name: 'dockbell_deliveries_total',
    help: 'Deliveries by webhook and label of the delivery log.',
    labelNames: ['factory', 'webhook', 'label'],
    registers: [registry],
    collect() {
      for (const { factory, name, tallies } of byUid.values()) {
        for (const [label, tally] of tallies) this.inc({ factory, webhook: name, label }, takePending(tally));
      }
    },
  });
  // All labels exist from the start, so that the first delivery of a kind is already an increase.
  const addWebhook = ({ uid, factory, name }: CountedWebhook) => {
    const tallies = new Map(DELIVERY_LABELS.map((label) => [label, { pending: 0 }]));
    byUid.set(uid, { factory, name, tallies });
    return tallies;
  };
  const drop = (uid: string, { factory, name }: CountedDeliveries) => {
    byUid.delete(uid);
    for (const label of DELIVERY_LABELS) counter.remove({ factory, webhook: name, label });
  };
  return {
    countDelivery: (webhook, label) => {
      const tally = (byUid.get(webhook.uid)?.tallies ?? addWebhook(webhook)).get(label);
      if (tally !== undefined) tally.pending += 1;
    },
    keepWebhooks: (webhooks) => {
      for (const [uid, counted] of [...byUid]) {
        const kept = webhooks.get(uid);
        if (kept?.factory !== counted.factory || kept.name !== counted.name) drop(uid, counted);
      }
    },
  };
}

/** What `dockbell_ingress_refusals_total` calls each reason, as in 0.1.0; `null` for what it does not count. */
const REJECTION_OF_UNLOGGED = {
  disabled: 'not_found',
  deleted: 'not_found',
  not_configured: 'not_found',
  unexpected_path: 'not_found',
  method_not_allowed: 'method_not_allowed',
  delivery_rate: 'delivery_rate',
  failed_auth_rate: 'failed_auth_rate',
  overloaded: 'overloaded',
  storage: 'storage',
  secret_unreadable: 'storage',
  key_unavailable: 'storage',
  internal: 'internal',
  incomplete_body: null,
  malformed_request: null,
  row_not_stored: null,
} as const satisfies Record<UnloggedReason, string | null>;

type Rejection = UnloggedRejection | NonNullable<(typeof REJECTION_OF_UNLOGGED)[UnloggedReason]>;

function createRejectionCounter(registry: Registry): (reason: Rejection, count: number) => void {
  const tallies = new Map<Rejection, Tally>();
  new Counter({
    name: 'dockbell_ingress_refusals_total',
    help: 'Rejected requests without a row in the delivery log, to known and unknown webhooks, by reason.',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      for (const [reason, tally] of tallies) this.inc({ reason }, takePending(tally));
    },
  });
  return (reason, count) => addToTally(tallies, reason, count);
}

type TalliesByReason = Map<UnloggedReason, Tally>;

/** The names of webhooks are bounded by the webhooks that exist or existed. */
function createUnloggedCounter(registry: Registry): Pick<Metrics, 'countUnlogged' | 'forgetFactory'> {
  const factories = new Map<string, Map<string, TalliesByReason>>();
  const counter = new Counter({
    name: 'dockbell_requests_refused_total',
    help: 'Requests to a webhook without a row in the delivery log, by reason.',
    labelNames: ['factory', 'webhook', 'reason'],
    registers: [registry],
    collect() {
      for (const [factory, webhooks] of factories) {
        for (const [webhook, tallies] of webhooks) {
          for (const [reason, tally] of tallies) this.inc({ factory, webhook, reason }, takePending(tally));
        }
      }
    },
  });
  return {
    countUnlogged: ({ factory, name }, reason, count) => {
      const webhooks = findOrAdd(factories, factory, () => new Map<string, TalliesByReason>());
      addToTally(
        findOrAdd(webhooks, name, () => new Map()),
        reason,
        count,
      );
    },
    forgetFactory: (factory) => {
      for (const [webhook, tallies] of factories.get(factory) ?? []) {
        for (const reason of tallies.keys()) counter.remove({ factory, webhook, reason });
      }
      factories.delete(factory);
    },
  };
}

function findOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const created = create();
  map.set(key, created);
  return created;
}

function addToTally<Key>(tallies: Map<Key, Tally>, key: Key, count: number): void {
  findOrAdd(tallies, key, () => ({ pending: 0 })).pending += count;
}

function takePending(tally: Tally): number {
  const { pending } = tally;
  tally.pending = 0;
  return pending;
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
    help: '1 if a definition of the factory is live and its last reconciliation succeeded, else 0.',
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

/** A webhook without a value has no series, and none has one if the probe fails. */
function registerTrafficGauges(registry: Registry, probes: MetricProbes): void {
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
          if (atMs !== null) this.set({ factory, webhook }, atMs / 1000);
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

/** The totals are stored, so a restart does not reset them. */
function registerRunTotals(registry: Registry, probes: MetricProbes): void {
  const readTotals = shareReads(() => probes.runTotals().catch(() => []));
  new Counter({
    name: 'dockbell_runs_total',
    help: 'Ended runs by automation and state.',
    labelNames: ['factory', 'automation', 'state'],
    registers: [registry],
    async collect() {
      const totals = await readTotals();
      this.reset();
      for (const { factory, automation, ended } of totals) {
        for (const [state, count] of Object.entries(ended)) this.inc({ factory, automation, state }, count);
      }
    },
  });
  new Gauge({
    name: 'dockbell_recent_failed_runs',
    help: `Failed runs among the last ${RECENT_RUNS} of an automation.`,
    labelNames: ['factory', 'automation'],
    registers: [registry],
    async collect() {
      const totals = await readTotals();
      this.reset();
      for (const { factory, automation, recentFailed } of totals) this.set({ factory, automation }, recentFailed);
    },
  });
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

/** Metrics of one scrape that need the same values read them once. */
function shareReads<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let pending: Promise<Value> | null = null;
  return () => {
    pending ??= read().finally(() => {
      pending = null;
    });
    return pending;
  };
}
