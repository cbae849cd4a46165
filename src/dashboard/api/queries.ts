import { queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';
import { readAnswer } from './problem.ts';

/**
 * What pages read, one function for each. Keys go from the whole to the part, so that what a live event touches can be
 * renewed by its beginning: `['factory', name, 'webhooks', uid, ...]`.
 */
export const factoriesQuery = queryOptions({
  queryKey: ['factories'],
  queryFn: async () => (await readAnswer(api.GET('/api/v1/factories'))).data,
});

export function factoryQuery(factory: string) {
  return queryOptions({
    queryKey: ['factory', factory, 'status'],
    queryFn: () => readAnswer(api.GET('/api/v1/factories/{factory}', { params: { path: { factory } } })),
  });
}

export function webhooksQuery(factory: string) {
  return queryOptions({
    queryKey: ['factory', factory, 'webhooks'],
    queryFn: async () => {
      const request = api.GET('/api/v1/factories/{factory}/webhooks', { params: { path: { factory } } });
      return (await readAnswer(request)).data;
    },
  });
}
