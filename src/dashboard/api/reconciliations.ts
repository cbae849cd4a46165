import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { readAnswer } from '../../client/read-answer.ts';
import { api } from './client.ts';

const FIRST_PAGE: { cursor?: string } = {};

export function reconciliationsQuery(factory: string) {
  return infiniteQueryOptions({
    queryKey: ['factory', factory, 'reconciliations'],
    queryFn: ({ pageParam: query }) =>
      readAnswer(api.GET('/api/v1/factories/{factory}/reconciliations', { params: { path: { factory }, query } })),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ next_cursor }) => (next_cursor === null ? undefined : { cursor: next_cursor }),
  });
}

export function reconciliationQuery(factory: string, id: string) {
  return queryOptions({
    queryKey: ['factory', factory, 'reconciliation', id],
    queryFn: () =>
      readAnswer(api.GET('/api/v1/factories/{factory}/reconciliations/{id}', { params: { path: { factory, id } } })),
  });
}

/** Starts a reconciliation and waits for its end. */
export async function reconcileNow(factory: string) {
  const params = { path: { factory }, query: { wait: true } };
  const answer = await readAnswer(api.POST('/api/v1/factories/{factory}/reconciliations', { params }));
  if (!('result' in answer)) throw new Error('the daemon did not wait for the end of the reconciliation');
  return answer;
}
