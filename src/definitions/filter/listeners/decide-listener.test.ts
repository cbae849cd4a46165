import { describe, expect, it } from 'vitest';
import { received } from '../../../../test/helpers/payload-filter.ts';
import { filterOf } from '../../../domain/definitions/trigger.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { PastListener } from '../../../domain/resources/delivery.ts';
import { decideListener, needDelivery } from './decide-listener.ts';

const listener = (payloads: JsonObject[], enabled = true) => ({
  automation: 'x',
  enabled,
  filters: payloads.map((payload) => filterOf({ payload })),
});

const decide = (one: PastListener, payload: unknown) => decideListener(one, received(payload));

describe('the decision for an automation', () => {
  it('is that it started if a filter matches or is empty', () => {
    const nothing = { path: null, expected: null, actual: null };
    const filters = [{ level: ['fatal'] }, { level: ['error'] }];
    const matched = { outcome: 'started', message: 'all filter conditions matched', ...nothing };
    expect(decide(listener(filters), { level: 'error' })).toEqual(matched);
    const unfiltered = { outcome: 'started', message: 'no filter', ...nothing };
    for (const payload of [null, 1, 'x', [], {}, { level: 'info' }])
      expect(decide(listener([{ level: ['fatal'] }, {}]), payload)).toEqual(unfiltered);
  });

  it('names the key that decided of the nearest filter, the first of equally near ones', () => {
    const both = listener([{ level: ['fatal'] }, { host: ['db'] }]);
    expect(decide(both, { level: 'info', host: 'web' })).toEqual({
      outcome: 'filtered',
      path: 'level',
      expected: ['fatal'],
      actual: 'info',
      message: expect.stringContaining('level'),
      nearness: { matched: false, held: 0, present: true },
    });
    expect(decide(both, { host: 'web' })).toMatchObject({ path: 'host' });
    expect(decide(both, [1])).toMatchObject({ outcome: 'filtered' });
  });

  it('reports a disabled automation', () => {
    expect(decide(listener([{}], false), {})).toMatchObject({
      outcome: 'disabled',
      path: null,
      nearness: { matched: true },
    });
    expect(decide(listener([{ level: ['fatal'] }], false), {})).toMatchObject({ nearness: { matched: false } });
  });

  it('reports a filter that cannot be evaluated, if no other matches', () => {
    const broken = { level: [] };
    const error = { outcome: 'filter_error', message: expect.stringContaining('cannot be evaluated') };
    expect(decide(listener([broken]), { level: 'fatal' })).toMatchObject(error);
    const alternative = listener([broken, { level: ['fatal'] }]);
    expect(decide(alternative, { level: 'fatal' })).toMatchObject({ outcome: 'started' });
    expect(decide(alternative, { level: 'info' })).toMatchObject(error);
  });

  it('needs the delivery only for a filter, also to know how near a disabled automation came', () => {
    const filter = { level: ['fatal'] };
    expect(needDelivery([listener([{}]), listener([{}], false), listener([filter, {}])])).toBe(false);
    expect(needDelivery([listener([filter], false)])).toBe(true);
    expect(needDelivery([listener([{}]), listener([filter])])).toBe(true);
  });
});
