import { describe, expect, it } from 'vitest';
import type { DeliveryFilter } from '../../api/deliveries.ts';
import {
  buildDeliveriesPath,
  letsThrough,
  NO_FILTER,
  readDeliveryFilter,
  writeDeliveryFilter,
} from './delivery-filter.ts';

const FILTERS: [name: string, filter: DeliveryFilter][] = [
  ['nothing', NO_FILTER],
  ['a webhook', { ...NO_FILTER, webhook: 'wh_1' }],
  ['a label', { ...NO_FILTER, label: 'Rejected (too large)' }],
  ['a delivery ID', { ...NO_FILTER, deliveryId: 'order/7?a=b&c#d é' }],
  ['the last hours', { ...NO_FILTER, time: { kind: 'last', span: '24h' } }],
  ['a beginning', { ...NO_FILTER, time: { kind: 'between', from: '2026-11-21T10:00:00.000Z', to: null } }],
  ['an end', { ...NO_FILTER, time: { kind: 'between', from: null, to: '2026-11-21T10:00:00.000Z' } }],
  ['all at once', { webhook: 'wh_1', label: 'Accepted', deliveryId: 'a', time: { kind: 'last', span: '7d' } }],
];

describe('the filter of an address', () => {
  it.each(FILTERS)('keeps %s', (_, filter) => {
    const path = buildDeliveriesPath('my factory', filter);
    expect(path.startsWith('/factories/my%20factory/deliveries?')).toBe(true);
    expect(readDeliveryFilter(new URL(path, 'http://a').searchParams)).toEqual(filter);
  });

  it.each(['label=Wrong', 'last=1y', 'last=toString', 'from=yesterday', 'to=', 'id=', 'webhook='])(
    'leaves out what it does not know: %s',
    (search) => expect(readDeliveryFilter(new URLSearchParams(search))).toEqual(NO_FILTER),
  );

  it('takes instants of any zone', () => {
    const { time } = readDeliveryFilter(new URLSearchParams({ from: '2026-11-21T10:00:00+02:00' }));
    expect(time).toEqual({ kind: 'between', from: '2026-11-21T08:00:00.000Z', to: null });
  });

  it('writes nothing that does not matter', () => {
    expect(writeDeliveryFilter(NO_FILTER)).toEqual({});
  });
});

describe('a delivery that is logged just now', () => {
  const told = {
    ...{ webhook_uid: 'wh_1', label: 'Accepted' as const, delivery_id: 'a', received_at: '2026-11-21T10:00:00.000Z' },
  };

  it.each([
    ['any', {}],
    ['its webhook', { webhook: 'wh_1' }],
    ['its label', { label: 'Accepted' }],
    ['its ID', { deliveryId: 'a' }],
    ['the last hour', { time: { kind: 'last', span: '1h' } }],
    ['a time that begins with it', { time: { kind: 'between', from: '2026-11-21T10:00:00.000Z', to: null } }],
  ] as [string, Partial<DeliveryFilter>][])('is among %s', (_, filter) => {
    expect(letsThrough({ ...NO_FILTER, ...filter }, told)).toBe(true);
  });

  it.each([
    ['another webhook', { webhook: 'wh_2' }],
    ['another label', { label: 'Duplicate' }],
    ['another ID', { deliveryId: 'A' }],
    ['a time that begins later', { time: { kind: 'between', from: '2026-11-21T10:00:00.001Z', to: null } }],
    ['a time that ends with it', { time: { kind: 'between', from: null, to: '2026-11-21T10:00:00.000Z' } }],
  ] as [string, Partial<DeliveryFilter>][])('is not among those of %s', (_, filter) => {
    expect(letsThrough({ ...NO_FILTER, ...filter }, told)).toBe(false);
  });
});
