import { expect, it } from 'vitest';
import type { WebhookUid } from '../../core/ids.ts';
import { HOUR_MS } from '../../core/ports/deliveries/activity-reader.ts';
import { NO_TRAFFIC } from '../../core/webhook-traffic.ts';
import { createRequestCounter } from './count-requests.ts';
import { presentTraffic } from './present-traffic.ts';

const GH = 'wh_gh' as WebhookUid;
const CI = 'wh_ci' as WebhookUid;

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
