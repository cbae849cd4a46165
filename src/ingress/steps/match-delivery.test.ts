import { expect, it } from 'vitest';
import { ids, START_MS } from '../../../test/helpers/build-offer.ts';
import { received } from '../../../test/helpers/payload-filter.ts';
import { ListenerIndex } from '../../definitions/filter/listeners/listener-index.ts';
import { filterOf } from '../../domain/definitions/trigger.ts';
import type { JsonObject } from '../../domain/json.ts';
import { matchDelivery } from './match-delivery.ts';

function match(filters: Record<string, JsonObject>, payload: unknown, only: string | null = null) {
  const listeners = new ListenerIndex();
  Object.entries(filters).forEach(([automation, filter], index) => {
    listeners.add({ automation, version: index + 1, enabled: true, filters: [filterOf({ payload: filter })] });
  });
  listeners.apply = { number: 7, revision: 'c1' };
  return matchDelivery({ listeners }, received(payload), ids, START_MS, only);
}

it('starts a run with its own ID for each automation that matches', () => {
  const { applyNumber, revision, runs } = match(
    { a: {}, b: { level: ['error'] }, c: { level: ['fatal'] } },
    { level: 'error' },
  );
  expect([applyNumber, revision]).toEqual([7, 'c1']);
  expect(runs.map(({ automation, version }) => [automation, version])).toEqual([
    ['a', 1],
    ['b', 2],
  ]);
  expect(new Set(runs.map(({ id }) => id)).size).toBe(2);
});

it('starts only the automation that is named', () => {
  expect(match({ a: {}, b: {} }, {}, 'b').runs.map(({ automation }) => automation)).toEqual(['b']);
  expect(match({ a: {}, b: { level: ['fatal'] } }, {}, 'b').runs).toEqual([]);
});

it('starts nothing without listeners', () => {
  expect(match({}, undefined)).toEqual({ applyNumber: 7, revision: 'c1', runs: [] });
});
