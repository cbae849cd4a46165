import { expect, it } from 'vitest';
import type { Delivery, Webhook } from '../../../client/api-types.ts';
import { noteLastDeliveries } from './note-last-deliveries.ts';

const webhook = (uid: string, last_delivery_at: string | null) => ({ uid, last_delivery_at }) as Webhook;
const delivery = (webhook_uid: string, received_at: string) => ({ webhook_uid, received_at }) as Delivery;

it('notes the latest time, and keeps the objects of other webhooks', () => {
  const webhooks = [webhook('a', null), webhook('b', '2026-01-02T00:00:00.500Z'), webhook('c', null)];
  const deliveries = [
    delivery('a', '2026-01-01T00:00:01.000Z'),
    delivery('a', '2026-01-01T00:00:03.000Z'),
    delivery('a', '2026-01-01T00:00:02.000Z'),
    delivery('b', '2026-01-02T00:00:00.400Z'),
    delivery('deleted', '2026-01-01T00:00:00.000Z'),
  ];
  const noted = noteLastDeliveries(webhooks, deliveries);
  expect(noted.map(({ last_delivery_at: at }) => at)).toEqual([
    '2026-01-01T00:00:03.000Z',
    '2026-01-02T00:00:00.500Z',
    null,
  ]);
  expect(noted[1]).toBe(webhooks[1]);
  expect(noted[2]).toBe(webhooks[2]);
});
