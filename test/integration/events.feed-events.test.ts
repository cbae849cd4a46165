import { describe, expect, it } from 'vitest';
import type { RunId } from '../../src/domain/ids.ts';
import type { NumberedEvent } from '../../src/domain/ports/event-feed.ts';
import type { Delivery } from '../../src/domain/resources/delivery.ts';
import type { Run } from '../../src/domain/resources/run.ts';
import { DeliveryRecorder } from '../../src/ingress/log/delivery-recorder.ts';
import type { LiveWebhook } from '../../src/ingress/registry/live-webhook.ts';
import { Registry } from '../../src/ingress/registry/registry.ts';
import { EventHub } from '../../src/operations/events/event-hub.ts';
import { createEventSources } from '../../src/operations/events/feed-events.ts';
import { applyOneOfEach } from '../helpers/build-apply.ts';
import { buildOffer, buildRejection, buildReplay } from '../helpers/build-offer.ts';
import { silentLogger } from '../helpers/command-runs.ts';
import { eventually } from '../helpers/eventually.ts';
import { createStandingClock } from '../helpers/seeded-services.ts';
import { SQLITE, useStorage } from '../helpers/with-storage.ts';

describe('the event of a delivery', () => {
  const opened = useStorage(SQLITE);

  async function open() {
    const { webhook, version, uid } = await applyOneOfEach(opened.storage);
    const registry = new Registry();
    const live = { ref: webhook, uid, name: 'internal-ci', factory: 'payments' } as LiveWebhook;
    registry.replaceFactory('payments', [live]);
    const hub = new EventHub(createStandingClock(), 'e');
    const { runReader: runs, deliveryReader, deliveryLog } = opened.storage;
    const sources = createEventSources({
      hub,
      findWebhook: (ref) => registry.findByRef(ref),
      runs,
      deliveries: deliveryReader,
      logger: silentLogger,
    });
    const recorder = new DeliveryRecorder(deliveryLog, sources.onRecorded);
    const parts = { webhook, runs: [{ automation: 'fix-errors', version }] };
    return { hub, sources, recorder, parts, runs, deliveryReader };
  }

  it('matches the entry in the log, with the created runs', async () => {
    const { hub, sources, recorder, parts, runs, deliveryReader } = await open();
    const events: NumberedEvent['event'][] = [];
    hub.subscribe(null, ({ event }) => void events.push(event));
    const offer = buildOffer({ ...parts, key: 'k' });
    await recorder.offer(offer);
    await recorder.offer(buildReplay(offer, parts));
    await recorder.offer(buildOffer({ ...parts, key: 'k' }));
    await recorder.offer(buildOffer({ ...parts, key: 'k', body: '[]' }));
    recorder.note({ ...buildRejection({ ...parts, count: 3 }), identity: { source: 'provider', value: 'p' } });
    await recorder.drain();

    const deliveries = events.flatMap((event): Delivery[] => (event.kind === 'delivery' ? [event.delivery] : []));
    expect(deliveries.map(({ label, reason }) => [label, reason])).toEqual([
      ['Accepted', null],
      ['Accepted', null],
      ['Duplicate', 'same_identity'],
      ['Duplicate', 'same_identity_other_body'],
      ['Rejected (auth)', 'bad_credential'],
    ]);
    for (const delivery of deliveries) expect(delivery).toEqual(await deliveryReader.get(delivery.id));
    const born = events.flatMap((event): Run[] => (event.kind === 'run' ? [event.run] : []));
    expect(born).toHaveLength(2);
    for (const run of born) expect(run).toEqual(await runs.get(run.id));

    sources.onRunsChanged([born[0]!.id]);
    await eventually(async () => events.length === 8);
    expect(events[7]).toEqual({ kind: 'run', run: born[0], attempts: [] });
  });

  it('is nothing where nobody listens, and no run is read for it', () => {
    const hub = new EventHub(createStandingClock(), 'e');
    const read: RunId[] = [];
    const runs = {
      get: async (id: RunId) => {
        read.push(id);
        return null;
      },
      attempts: async () => new Map(),
    };
    const sources = createEventSources({
      hub,
      findWebhook: () => undefined,
      runs,
      deliveries: { get: async () => null },
      logger: silentLogger,
    });
    sources.onRecorded(buildOffer(), { label: 'Accepted' });
    sources.onRunsChanged(['run_a']);
    expect(read).toEqual([]);
    expect(hub.subscribe('e-0', () => {})).toMatchObject({ missed: null, position: 'e-2' });
  });
});
