import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { readAnswer } from '../../client/read-answer.ts';
import { api } from './client.ts';

/** Which alerts a list shows. */
export type AlertView = 'active' | 'resolved';

/** Alerts change without an event, for example because a sender is silent. */
const REFRESH_MS = 15_000;
const FIRST_PAGE: { cursor?: string } = {};
const MAX_COUNTED = 100;

const ALERTS_KEY = 'alerts';
export const ALL_ALERTS = { queryKey: [ALERTS_KEY] };

export function alertsQuery(state: AlertView) {
  return infiniteQueryOptions({
    queryKey: [ALERTS_KEY, state],
    queryFn: ({ pageParam: page }) =>
      readAnswer(api.GET('/api/v1/alerts', { params: { query: Object.assign({ state }, page) } })),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ next_cursor }) => (next_cursor === null ? undefined : { cursor: next_cursor }),
    refetchInterval: REFRESH_MS,
  });
}

/** Alerts that nobody has acknowledged, of one factory or of all. Not more than 100. */
export function openAlertsQuery(factory: string | null) {
  return queryOptions({
    queryKey: [ALERTS_KEY, 'open', factory],
    queryFn: async () => {
      const filters = { state: 'open', limit: MAX_COUNTED, ...(factory === null ? {} : { factory }) } as const;
      return (await readAnswer(api.GET('/api/v1/alerts', { params: { query: filters } }))).data;
    },
    refetchInterval: REFRESH_MS,
  });
}

export function acknowledgeAlert(id: string, note: string) {
  const body = note === '' ? {} : { note };
  return readAnswer(api.POST('/api/v1/alerts/{id}/acknowledge', { params: { path: { id } }, body }));
}
