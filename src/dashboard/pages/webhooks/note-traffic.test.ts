import { expect, it } from 'vitest';
import type { Delivery, Webhook } from '../../../client/api-types.ts';
import { noteTraffic } from './note-traffic.ts';

const webhook = (uid: string, last_accepted_at: string | null) =>
  ({ uid, last_delivery_at: last_accepted_at, traffic: { last_accepted_at, credential_failing: null } }) as Webhook;
const delivery = (webhook_uid: string, received_at: string, more: Partial<Delivery> = {}) =>
  ({ webhook_uid, received_at, label: 'Accepted', replay_of: null, count: 1, ...more }) as Delivery;
const failed = (received_at: string, count = 1) =>
  delivery('a', received_at, { label: 'Rejected (auth)', reason: 'bad_credential', reason_text: 'Bad.', count });

it('notes the last accepted delivery, and keeps the objects of other webhooks', () => {
  const webhooks = [webhook('a', null), webhook('b', '2026-01-02T00:00:00.500Z'), webhook('c', null)];
  const deliveries = [
    delivery('a', '2026-01-01T00:00:01.000Z'),
    delivery('a', '2026-01-01T00:00:03.000Z'),
    delivery('a', '2026-01-01T00:00:02.000Z'),
    delivery('b', '2026-01-02T00:00:00.400Z'),
    delivery('deleted', '2026-01-01T00:00:00.000Z'),
    delivery('c', '2026-01-01T00:00:00.000Z', { label: 'Duplicate' }),
    delivery('c', '2026-01-01T00:00:00.000Z', { label: 'Rejected (too large)' }),
    delivery('c', '2026-01-01T00:00:00.000Z', { replay_of: 'dlv_a' }),
  ];
  const noted = noteTraffic(webhooks, deliveries);
  expect(noted.map(({ last_delivery_at: at }) => at)).toEqual([
    '2026-01-01T00:00:03.000Z',
    '2026-01-02T00:00:00.500Z',
    null,
  ]);
  expect(noted[1]).toBe(webhooks[1]);
  expect(noted[2]).toBe(webhooks[2]);
});

it('counts failed credentials from the first after the last accepted one, each request once', () => {
  const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
  const [first] = noteTraffic([webhook('a', at(2))], [failed(at(1)), failed(at(4), 5), failed(at(3))]);
  const failing = { since: at(3), last_at: at(4), count: 6, reason: 'bad_credential', reason_text: 'Bad.' };
  expect(first!.traffic).toMatchObject({ last_accepted_at: at(2), credential_failing: failing });
  const [again] = noteTraffic([first!], [failed(at(4), 5)]);
  expect(again).toBe(first);
  const [later] = noteTraffic([first!], [failed(at(5))]);
  expect(later!.traffic.credential_failing).toMatchObject({ since: at(3), count: 7 });
  const [duplicate] = noteTraffic([later!], [delivery('a', at(6), { label: 'Duplicate' })]);
  expect(duplicate!.traffic).toMatchObject({ last_accepted_at: at(2), credential_failing: null });
});
