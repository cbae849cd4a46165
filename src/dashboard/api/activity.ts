import { queryOptions } from '@tanstack/react-query';
import type { Activity, Delivery, DeliveryLabel } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { SHARE_LIST } from '../parts/live/share-rows.ts';
import { api } from './client.ts';

export const HOUR_MS = 3_600_000;

/** Deliveries by label and runs by state per hour, and the deliveries of each webhook. */
export function activityQuery(factory: string, hours: number) {
  return queryOptions({
    queryKey: ['factory', factory, 'activity', hours],
    queryFn: (): Promise<Activity> => {
      const toMs = endOfHour(Date.now());
      return readActivity(factory, toMs - hours * HOUR_MS, toMs);
    },
  });
}

/** The activity of the hours between two times, which are full hours. */
export function readActivity(factory: string, fromMs: number, toMs: number): Promise<Activity> {
  const params = { path: { factory }, query: { from: formatInstant(fromMs), to: formatInstant(toMs) } };
  return readAnswer(api.GET('/api/v1/factories/{factory}/activity', { params }));
}

export function endOfHour(atMs: number): number {
  return Math.ceil(atMs / HOUR_MS) * HOUR_MS;
}

const REJECTIONS: readonly DeliveryLabel[] = ['Rejected (auth)', 'Rejected (invalid JSON)', 'Rejected (too large)'];

/** The most recent rejections of all webhooks of a factory. */
export function rejectionsQuery(factory: string, hours: number, limit: number) {
  return queryOptions({
    queryKey: ['factory', factory, 'rejections', hours, limit],
    ...SHARE_LIST,
    queryFn: async (): Promise<Delivery[]> => {
      const from = formatInstant(Date.now() - hours * HOUR_MS);
      const lists = await Promise.all(
        REJECTIONS.map((label) => {
          const params = { path: { factory }, query: { label, from, limit } };
          return readAnswer(api.GET('/api/v1/factories/{factory}/deliveries', { params }));
        }),
      );
      const rows = lists.flatMap(({ data }) => data);
      return rows.sort((a, b) => b.received_at.localeCompare(a.received_at)).slice(0, limit);
    },
  });
}

function formatInstant(ms: number): string {
  return new Date(ms).toISOString();
}
