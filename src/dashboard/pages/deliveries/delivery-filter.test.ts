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
  ['a start', { ...NO_FILTER, time: { kind: 'between', from: '2026-11-21T10:00:00.000Z', to: null } }],
  ['a text', { ...NO_FILTER, text: 'acme/api' }],
  ['an event', { ...NO_FILTER, event: 'pull_request.opened' }],
  ['deliveries without runs', { ...NO_FILTER, unmatched: true }],
  ['an end', { ...NO_FILTER, time: { kind: 'between', from: null, to: '2026-11-21T10:00:00.000Z' } }],
  [
    'all filters',
    {
      webhook: 'wh_1',
      label: 'Accepted',
      deliveryId: 'a',
      time: { kind: 'last', span: '7d' },
      event: 'push',
      unmatched: true,
      text: 'a',
    },
  ],
];

describe('the filter in the URL', () => {
  it.each(FILTERS)('keeps %s', (_, filter) => {
    const path = buildDeliveriesPath('my factory', filter);
    expect(path.startsWith('/factories/my%20factory/deliveries?')).toBe(true);
    expect(readDeliveryFilter(new URL(path, 'http://a').searchParams)).toEqual(filter);
  });

  it.each(['label=Wrong', 'last=1y', 'last=toString', 'from=yesterday', 'to=', 'id=', 'webhook='])(
    'ignores unknown and invalid values: %s',
    (search) => expect(readDeliveryFilter(new URLSearchParams(search))).toEqual(NO_FILTER),
  );

  it('accepts times in any time zone', () => {
    const { time } = readDeliveryFilter(new URLSearchParams({ from: '2026-11-21T10:00:00+02:00' }));
    expect(time).toEqual({ kind: 'between', from: '2026-11-21T08:00:00.000Z', to: null });
  });

  it('writes only active filters', () => {
    expect(writeDeliveryFilter(NO_FILTER)).toEqual({});
  });
});

describe('letsThrough', () => {
  const delivery = {
    webhook_uid: 'wh_1',
    label: 'Accepted' as const,
    delivery_id: 'a',
    event: 'pull_request.opened',
    runs: [],
    received_at: '2026-11-21T10:00:00.000Z',
  };

  it.each([
    ['all deliveries', {}],
    ['its webhook', { webhook: 'wh_1' }],
    ['its label', { label: 'Accepted' }],
    ['its ID', { deliveryId: 'a' }],
    ['the last hour', { time: { kind: 'last', span: '1h' } }],
    ['those without runs', { unmatched: true }],
    ['its event', { event: 'pull_request.opened' }],
    ['the events of its kind', { event: 'pull_request' }],
    ['a time range that starts with it', { time: { kind: 'between', from: '2026-11-21T10:00:00.000Z', to: null } }],
  ] as [string, Partial<DeliveryFilter>][])('includes a delivery of %s', (_, filter) => {
    expect(letsThrough({ ...NO_FILTER, ...filter }, delivery)).toBe(true);
  });

  it.each([
    ['another webhook', { webhook: 'wh_2' }],
    ['another label', { label: 'Duplicate' }],
    ['another ID', { deliveryId: 'A' }],
    ['a text in payloads', { text: 'a' }],
    ['another event', { event: 'pull' }],
    ['a time range that starts later', { time: { kind: 'between', from: '2026-11-21T10:00:00.001Z', to: null } }],
    ['a time range that ends with it', { time: { kind: 'between', from: null, to: '2026-11-21T10:00:00.000Z' } }],
  ] as [string, Partial<DeliveryFilter>][])('excludes a delivery of %s', (_, filter) => {
    expect(letsThrough({ ...NO_FILTER, ...filter }, delivery)).toBe(false);
  });
});
