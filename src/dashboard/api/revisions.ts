import { infiniteQueryOptions } from '@tanstack/react-query';
import { describeProblem, RequestFailed, readAnswer, readTagged } from '../../client/read-answer.ts';
import { api } from './client.ts';

const FIRST_PAGE: { cursor?: string } = {};

/** The revisions of a managed factory, newest first. */
export function revisionsQuery(factory: string) {
  return infiniteQueryOptions({
    queryKey: ['factory', factory, 'revisions'],
    queryFn: ({ pageParam: query }) =>
      readAnswer(api.GET('/api/v1/factories/{factory}/history', { params: { path: { factory }, query } })),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ next_cursor }) => (next_cursor === null ? undefined : { cursor: next_cursor }),
  });
}

/**
 * @param head the newest revision that the user saw; the request is rejected if the factory changed since
 */
export async function revertTo({ factory, revision, head }: { factory: string; revision: string; head: string }) {
  const params = { path: { factory } };
  const { value, etag } = await readTagged(api.GET('/api/v1/factories/{factory}', { params }));
  if (value.applied_revision !== head) throw new RequestFailed(CHANGED);
  const headers = { 'if-match': etag ?? '' };
  return readAnswer(api.POST('/api/v1/factories/{factory}/reverts', { params, headers, body: { revision } }));
}

const CHANGED = describeProblem(
  'Changed by another request',
  'The factory changed since this list was read. Nothing was reverted.',
  412,
  'precondition_failed',
);
