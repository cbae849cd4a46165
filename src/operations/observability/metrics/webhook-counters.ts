import { Counter, type Registry } from 'prom-client';
import { HANDSHAKE_OUTCOMES, type HandshakeOutcome } from '../../../domain/deliveries/handshake.ts';
import type { CountedWebhook } from '../../../domain/ports/metrics.ts';
import type { DeliveryLabel } from '../../../domain/resources/delivery.ts';
import { DELIVERY_LABELS } from '../../../domain/resources/delivery.ts';
import type { UnloggedReason } from '../../../domain/words/unlogged-reasons.ts';
import { MAX_NAMED_WEBHOOKS, NamedSeries, OTHER } from './named-series.ts';
import { addToTally, findOrAdd, type Tally, takePending } from './tally.ts';

/** Counters of webhooks that are live. */
interface WebhookCounters {
  countDelivery(webhook: CountedWebhook, label: DeliveryLabel): void;
  countHandshake(webhook: CountedWebhook, outcome: HandshakeOutcome): void;
  keepWebhooks(webhooks: ReadonlyMap<string, CountedWebhook>): void;
  forgetFactory(factory: string): void;
}

/** The labels of the series in which a webhook is counted, and its tallies by label of the delivery log. */
interface CountedDeliveries {
  factory: string;
  webhook: string;
  tallies: Map<DeliveryLabel, Tally>;
}

/** A webhook with the name under which it is counted. */
interface Counted {
  factory: string;
  name: string;
  deliveries: CountedDeliveries;
}

/** Counts without allocations on the hot path; a scrape adds the tallies to the counter. */
export function createWebhookCounters(registry: Registry, named: NamedSeries): WebhookCounters {
  const byUid = new Map<string, Counted>();
  /** Series by factory and label of the webhook. */
  const series = new Map<string, Map<string, CountedDeliveries>>();
  const deliveries = new Counter({
    name: 'dockbell_deliveries_total',
    help: 'Deliveries by webhook and label of the delivery log.',
    labelNames: ['factory', 'webhook', 'label'],
    registers: [registry],
    collect() {
      for (const webhooks of series.values()) {
        for (const { factory, webhook, tallies } of webhooks.values()) {
          for (const [label, tally] of tallies) this.inc({ factory, webhook, label }, takePending(tally));
        }
      }
    },
  });
  const handshakes = new Counter({
    name: 'dockbell_handshakes_total',
    help: 'Handshake requests of providers, by webhook and outcome.',
    labelNames: ['factory', 'webhook', 'outcome'],
    registers: [registry],
  });
  // All labels exist from the start, so that the first delivery of a kind is already an increase.
  const startSeries = (factory: string, webhook: string): CountedDeliveries => ({
    factory,
    webhook,
    tallies: new Map(DELIVERY_LABELS.map((label) => [label, { pending: 0 }])),
  });
  const addWebhook = ({ uid, factory, name }: CountedWebhook): Counted => {
    const webhook = named.labelOf(factory, name);
    const ofFactory = findOrAdd(series, factory, () => new Map());
    const counted = {
      factory,
      name,
      deliveries: findOrAdd(ofFactory, webhook, () => startSeries(factory, webhook)),
    };
    byUid.set(uid, counted);
    return counted;
  };
  const removeSeries = (factory: string, webhook: string) => {
    series.get(factory)?.delete(webhook);
    for (const label of DELIVERY_LABELS) deliveries.remove({ factory, webhook, label });
    for (const outcome of HANDSHAKE_OUTCOMES) handshakes.remove({ factory, webhook, outcome });
  };
  const drop = (uid: string, { factory, name, deliveries: { webhook } }: Counted) => {
    byUid.delete(uid);
    if (webhook === OTHER) return;
    removeSeries(factory, webhook);
    named.release(factory, name);
  };
  return {
    countDelivery: (webhook, label) => {
      const tally = (byUid.get(webhook.uid) ?? addWebhook(webhook)).deliveries.tallies.get(label);
      if (tally !== undefined) tally.pending += 1;
    },
    countHandshake: (counted, outcome) => {
      const { factory, webhook } = (byUid.get(counted.uid) ?? addWebhook(counted)).deliveries;
      handshakes.inc({ factory, webhook, outcome });
    },
    keepWebhooks: (webhooks) => {
      for (const [uid, counted] of [...byUid]) {
        const kept = webhooks.get(uid);
        if (kept?.factory !== counted.factory || kept.name !== counted.name) drop(uid, counted);
      }
    },
    forgetFactory: (factory) => {
      for (const [uid, counted] of [...byUid]) {
        if (counted.factory === factory) byUid.delete(uid);
      }
      for (const webhook of [...(series.get(factory)?.keys() ?? [])]) removeSeries(factory, webhook);
      series.delete(factory);
      named.releaseFactory(factory);
    },
  };
}

/** Counters of requests without a row in the log, also of webhooks that are not live. */
interface UnloggedCounters {
  countUnlogged(webhook: { factory: string; name: string }, reason: UnloggedReason, count: number): void;
  forgetFactory(factory: string): void;
}

type TalliesByReason = Map<UnloggedReason, Tally>;

/** The names are those of webhooks that exist or existed, so they have a limit separate from that of live webhooks. */
export function createUnloggedCounters(registry: Registry): UnloggedCounters {
  const named = new NamedSeries(MAX_NAMED_WEBHOOKS);
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
        findOrAdd(webhooks, named.labelOf(factory, name), () => new Map()),
        reason,
        count,
      );
    },
    forgetFactory: (factory) => {
      for (const [webhook, tallies] of factories.get(factory) ?? []) {
        for (const reason of tallies.keys()) counter.remove({ factory, webhook, reason });
      }
      factories.delete(factory);
      named.releaseFactory(factory);
    },
  };
}
