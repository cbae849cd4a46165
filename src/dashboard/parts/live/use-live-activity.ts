import { keepPreviousData, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Activity } from '../../../client/api-types.ts';
import { activityQuery, endOfHour, HOUR_MS, readActivity } from '../../api/activity.ts';
import { mergeActivity } from './merge-activity.ts';
import { COUNT_PAUSES } from './use-coalesced.ts';
import type { ReceivedEvent } from './use-live-events.ts';
import { useLiveParts } from './use-live-parts.ts';

/** Deliveries and runs per hour. After events, only the hours that they concern are read again. */
export function useLiveActivity(factory: string, hours: number): UseQueryResult<Activity> {
  const queryClient = useQueryClient();
  const query = activityQuery(factory, hours);
  useLiveParts<Activity, number>({
    queryKey: query.queryKey,
    pauses: COUNT_PAUSES,
    partOf: (event) => (event.data.factory === factory ? timeOfCount(event) : null),
    changeOf: async (timesMs, { to }) => {
      const toMs = Math.max(endOfHour(Date.now()), Date.parse(to));
      const fromMs = Math.max(toMs - hours * HOUR_MS, Math.min(beginOfHour(timesMs), Date.parse(to), toMs - HOUR_MS));

      // Two components that show the same hours send one request.
      const part = await queryClient.fetchQuery({
        queryKey: ['activity-part', factory, fromMs, toMs],
        queryFn: () => readActivity(factory, fromMs, toMs),
        gcTime: 0,
      });
      return (activity) => mergeActivity(activity, part);
    },
  });
  return useQuery({ ...query, placeholderData: keepPreviousData });
}

/** The time whose hour counts the event. Replays are not counted. */
function timeOfCount({ type, data }: ReceivedEvent): number | null {
  if (type === 'run') return Date.parse(data.created_at);
  return type === 'delivery' && data.replay_of === null ? Date.parse(data.received_at) : null;
}

function beginOfHour(timesMs: readonly number[]): number {
  const earliestMs = timesMs.reduce((earliest, timeMs) => Math.min(earliest, timeMs), Number.POSITIVE_INFINITY);
  return Math.floor(earliestMs / HOUR_MS) * HOUR_MS;
}
