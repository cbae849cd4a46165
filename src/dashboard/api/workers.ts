import { queryOptions } from '@tanstack/react-query';
import { readAnswer } from '../../client/read-answer.ts';
import { api } from './client.ts';

/** Workers change without an event. */
const REFRESH_MS = 5_000;

/** The workers that have asked for runs of this factory since the daemon started. */
export function workersQuery(factory: string) {
  return queryOptions({
    queryKey: ['workers', factory],
    queryFn: async () => {
      const { data } = await readAnswer(api.GET('/api/v1/workers'));
      return data.filter(({ factories }) => factories.includes(factory));
    },
    refetchInterval: REFRESH_MS,
  });
}
