import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Condition, filter, payload, payloadNear } from '../../../../test/helpers/any-filter.ts';
import type { DeliveryFilter, Received } from '../../../domain/definitions/trigger.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { scanJson } from '../../../domain/payload/scan-json.ts';
import { compileFilters } from '../evaluate-filters.ts';
import { parsePattern } from '../parse-pattern.ts';
import { type FilteredListener, ListenerIndex } from './listener-index.ts';

/** Filters that no parser accepts, in addition to valid ones. */
const anyFilter = fc.oneof(
  { weight: 12, arbitrary: filter },
  { weight: 1, arbitrary: fc.constantFrom<unknown>({ a: [] }, { in: ['x'] }, { a: { exists: 1 } }, 7, null) },
) as fc.Arbitrary<JsonObject>;

const headerValue = fc.constantFrom('p', 'q', 'r');
const headerFilter = fc.dictionary(
  fc.constantFrom('X-A', 'x-b'),
  fc.oneof(
    fc.array(headerValue, { minLength: 1, maxLength: 2 }),
    fc.record({ not_in: fc.array(headerValue, { minLength: 1, maxLength: 2 }) }),
    fc.record({ exists: fc.boolean() }),
  ),
  { minKeys: 1, maxKeys: 2 },
) as fc.Arbitrary<JsonObject>;
const headers = fc.dictionary(fc.constantFrom('x-a', 'x-b', 'x-c'), headerValue, { maxKeys: 3 });

const someOf = (...values: string[]) => fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 2 });
const operators = (...values: string[]) =>
  fc.oneof(someOf(...values), fc.record({ not_in: someOf(...values) }), fc.constant(null));

/** Triggers of providers, whose values are compared in different ways. */
const trigger: fc.Arbitrary<DeliveryFilter> = fc
  .oneof(
    fc.record({
      provider: fc.constant('github'),
      event: fc.constantFrom('issue_labeled', 'issue_created', 'push', 'nothing'),
      filter: fc.record({ repos: operators('o/p', 'o/q') }),
    }),
    fc.record({
      provider: fc.constant('github'),
      event: fc.constantFrom('issue_labeled', 'issue_created'),
      filter: fc.record({ labels: operators('p', 'q'), assignees: operators('p', '@q') }),
    }),
    fc.record({
      provider: fc.constant('slack'),
      event: fc.constantFrom('message_posted', 'app_mention', 'reaction_added'),
      filter: fc.record({ user_ids: operators('U000001', 'U000002') }),
    }),
  )
  .map((one) => ({ trigger: one }) as DeliveryFilter);

const login = fc.constantFrom('p', 'P', 'q', 'r');
const named = fc.record({ name: login });

/** Deliveries of these providers. */
const providerDelivery = fc.oneof(
  fc.record({
    headers: fc.record({ 'x-github-event': fc.constantFrom('issues', 'push', 'ping') }),
    payload: fc.record({
      action: fc.constantFrom('labeled', 'opened'),
      label: named,
      issue: fc.record({ labels: fc.array(named, { maxLength: 2 }), assignees: fc.array(fc.record({ login })) }),
      repository: fc.record({ full_name: fc.constantFrom('o/p', 'O/Q', 'x/y') }),
      ref: fc.constantFrom('refs/heads/p', 'refs/tags/p'),
      deleted: fc.boolean(),
      sender: fc.record({ login }),
    }),
  }),
  fc.record({
    headers: fc.constant({}),
    payload: fc.record({
      api_app_id: fc.constant('A1'),
      event: fc.record({
        type: fc.constantFrom<string | string[]>('message', 'app_mention', ['app_mention', 'message']),
        channel_type: fc.constant('channel'),
        user: fc.constantFrom('U000001', 'U000003'),
        app_id: fc.constantFrom('A1', 'A2'),
        ts: fc.constant('1'),
      }),
    }),
  }),
) as fc.Arbitrary<Received>;

const ignored = fc.record({ provider: fc.constant('github'), actors: someOf('p', '@Q') });

const deliveryFilter: fc.Arbitrary<DeliveryFilter> = fc.oneof(
  { weight: 4, arbitrary: trigger },
  { weight: 1, arbitrary: trigger.chain((one) => fc.record({ trigger: fc.constant(one.trigger!), ignored })) },
  { weight: 1, arbitrary: fc.record({ ignored }) },
  { weight: 3, arbitrary: fc.record({ payload: anyFilter }) },
  { weight: 1, arbitrary: fc.record({ headers: headerFilter }) },
  { weight: 2, arbitrary: fc.record({ headers: headerFilter, payload: anyFilter }) },
);

const listener = fc.record({
  // Few names, so that an automation is often replaced.
  automation: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
  version: fc.integer({ min: 1, max: 3 }),
  enabled: fc.integer({ min: 0, max: 9 }).map((dice) => dice > 0),
  filters: fc.array(deliveryFilter, { maxLength: 3 }),
});

type Change = { add: FilteredListener } | { remove: string };

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: listener.map((add) => ({ add })) },
  { weight: 1, arbitrary: fc.constantFrom('a', 'b', 'c', 'd').map((remove) => ({ remove })) },
);

/** The same changes, by evaluating each filter of each automation. */
function matchOneByOne(listeners: ReadonlyMap<string, FilteredListener>, one: Received) {
  return [...listeners.values()]
    .filter(({ enabled, filters }) => enabled && compileFilters(filters).matches(one))
    .map(({ automation, version }) => ({ automation, version }))
    .sort((a, b) => (a.automation < b.automation ? -1 : 1));
}

const TITLE = 'the index starts exactly the automations whose filters match, after any changes';
test(TITLE, () => expectSameMatches(100));
test(`${TITLE}, in more cases`, { tags: 'full' }, () => expectSameMatches(1_500));

function expectSameMatches(numRuns: number): void {
  const seen = { matches: 0, misses: 0 };
  const changesAndPayloads = fc.array(change, { minLength: 1, maxLength: 12 }).chain((changes) => {
    const filters = changes.flatMap((one) => ('add' in one ? one.add.filters : []));
    const payloads = filters.flatMap((one) => (one.payload as Condition | undefined) ?? []);
    const near = payloads.filter((one) => parsePattern(one).ok).map((one) => payloadNear(one as Condition));
    const written = fc.record({ headers, payload: fc.oneof(payload, ...near) });
    const delivery = fc.oneof({ weight: 2, arbitrary: written }, { weight: 1, arbitrary: providerDelivery });
    return fc.tuple(fc.constant(changes), fc.array(delivery, { minLength: 1, maxLength: 6 }));
  });
  fc.assert(
    fc.property(changesAndPayloads, ([changes, deliveries]) => {
      const index = new ListenerIndex();
      const listeners = new Map<string, FilteredListener>();
      for (const one of changes) {
        if ('add' in one) index.add(one.add);
        else index.remove(one.remove);
        if ('add' in one) listeners.set(one.add.automation, one.add);
        else listeners.delete(one.remove);
        for (const delivery of deliveries) {
          const expected = matchOneByOne(listeners, delivery);
          expect(index.match(delivery)).toEqual(expected);
          const scan = scanJson(Buffer.from(JSON.stringify(delivery.payload)), index.wanted);
          const wanted = index.wantedHeaders;
          const read = Object.entries(delivery.headers).filter(([name]) => wanted.has(name));
          const scanned = { headers: Object.fromEntries(read), payload: scan.ok && scan.value };
          expect(index.match(scanned)).toEqual(expected);
          seen[expected.length > 0 ? 'matches' : 'misses'] += 1;
        }
      }
      expect(index.size).toBe(listeners.size);
      expect(index.wanted.isLeaf).toBe(!index.needsPayload);
      for (const name of listeners.keys()) {
        expect(index.has(name)).toBe(true);
        index.remove(name);
      }
      expect(index.needsPayload).toBe(false);
      expect(index.wantedHeaders.size).toBe(0);
      for (const delivery of deliveries) expect(index.match(delivery)).toEqual([]);
    }),
    { numRuns },
  );
  expect(seen.matches).toBeGreaterThan(numRuns / 3);
  expect(seen.misses).toBeGreaterThan(numRuns / 3);
}
