import { expect, it } from 'vitest';
import { NO_TRAFFIC } from '../../domain/deliveries/webhook-traffic.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import { type DeliveryReader, HOUR_MS } from '../../domain/ports/delivery-log.ts';
import type { Delivery } from '../../domain/resources/delivery.ts';
import { describeRejections } from '../../domain/words/recent-activity.ts';
import { createRequestCounter } from './count-requests.ts';
import { presentTraffic } from './present-traffic.ts';

const GH = 'wh_gh' as WebhookUid;
const CI = 'wh_ci' as WebhookUid;

/** A log whose rejected requests all have this label. */
function logOf(label: string, entries: object[]): Pick<DeliveryReader, 'list'> {
  return {
    list: async (search) => ({ data: search.label === label ? (entries as Delivery[]) : [], nextCursor: null }),
  };
}

it('counts requests that left no entry in the log as rejected, in the same period', async () => {
  const asked: number[] = [];
  const count = createRequestCounter(
    {
      deliveries: async ({ fromAt }) => {
        asked.push(fromAt);
        return [{ webhook: GH, hourAt: fromAt, label: 'Accepted', count: 30 }];
      },
    },
    {
      list: async ({ sinceAt }) => {
        asked.push(sinceAt);
        return [
          { webhook: GH, reason: 'delivery_rate', count: 22, lastAt: 1 },
          { webhook: CI, reason: 'disabled', count: 2, lastAt: 1 },
        ];
      },
    },
    { list: async () => ({ data: [], nextCursor: null }) },
    { wallMs: () => 100 * HOUR_MS + 5, monotonicMs: () => 0 },
  );
  const requests = await count('payments');
  expect(asked).toEqual([77 * HOUR_MS, 77 * HOUR_MS]);
  expect(presentTraffic(NO_TRAFFIC, requests.get(GH))).toMatchObject({
    last_24_hours: { accepted: 30, duplicate: 0, rejected: 22 },
    acceptance_rate: 30 / 52,
  });
  expect(presentTraffic(NO_TRAFFIC, requests.get(CI))).toMatchObject({ acceptance_rate: 0 });
});

it('reads the rejected requests of a webhook whose other senders get through', async () => {
  const entry = { receivedAt: 5, count: 1, clientAddress: '192.0.2.7', reason: 'bad_signature' };
  const entries = [
    { ...entry, receivedAt: 9 },
    { ...entry, count: 2 },
    { ...entry, clientAddress: '192.0.2.8' },
  ];
  const count = createRequestCounter(
    {
      deliveries: async ({ fromAt: hourAt }) => [
        { webhook: GH, hourAt, label: 'Accepted', count: 6 },
        { webhook: GH, hourAt, label: 'Rejected (auth)', count: 4 },
      ],
    },
    { list: async () => [] },
    logOf('Rejected (auth)', entries),
    { wallMs: () => 100 * HOUR_MS, monotonicMs: () => 0 },
  );
  const traffic = presentTraffic({ lastAcceptedAt: 10, credentialFailure: null }, (await count('payments')).get(GH));
  expect(traffic.rejections).toMatchObject({
    count: 4,
    reason: 'bad_signature',
    addresses: ['192.0.2.7', '192.0.2.8'],
  });
  expect(traffic).toMatchObject({ credential_failing: null, acceptance_rate: 0.6 });
});

it('counts all rejected requests, also if only the most recent ones are read', async () => {
  const entries = [9, 8, 7].map((receivedAt) => ({ receivedAt, count: 1, clientAddress: '192.0.2.7', reason: null }));
  const count = createRequestCounter(
    {
      deliveries: async ({ fromAt: hourAt }) => [
        { webhook: GH, hourAt, label: 'Accepted', count: 2 },
        { webhook: GH, hourAt, label: 'Rejected (auth)', count: 200 },
        { webhook: GH, hourAt: hourAt + HOUR_MS, label: 'Rejected (auth)', count: 60 },
      ],
    },
    { list: async () => [] },
    logOf('Rejected (auth)', entries),
    { wallMs: () => 100 * HOUR_MS, monotonicMs: () => 0 },
  );
  const { rejections } = (await count('payments')).get(GH)!;
  expect(rejections).toMatchObject({ count: 260, examined: 3, since: 7, lastAt: 9 });
  const words = { ...rejections!, of: 262, since: '03:10', reasonText: null };
  expect(describeRejections(words)).toBe(
    'rejected 260 of 262 requests in the last 24 hours, the last 3 since 03:10, from 192.0.2.7.',
  );
});

it('reads requests that were rejected for their body', async () => {
  const entries = [{ receivedAt: 5, count: 1, clientAddress: '192.0.2.7', reason: 'body_is_json' }];
  const count = createRequestCounter(
    { deliveries: async ({ fromAt: hourAt }) => [{ webhook: GH, hourAt, label: 'Rejected (invalid JSON)', count: 1 }] },
    { list: async () => [] },
    logOf('Rejected (invalid JSON)', entries),
    { wallMs: () => 100 * HOUR_MS, monotonicMs: () => 0 },
  );
  expect((await count('payments')).get(GH)!.rejections).toMatchObject({ count: 1, reason: 'body_is_json' });
});
