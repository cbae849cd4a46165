import { infiniteQueryOptions } from '@tanstack/react-query';
import { api } from './client.ts';
import { RequestFailed, readAnswer } from './problem.ts';

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
 * @param head the newest revision that the reader saw: refused where the factory changed since
 */
export async function revertTo({ factory, revision, head }: { factory: string; revision: string; head: string }) {
  const params = { path: { factory } };
  const request = api.GET('/api/v1/factories/{factory}', { params });
  const { applied_revision } = await readAnswer(request);
  if (applied_revision !== head) throw new RequestFailed(CHANGED);
  const etag = (await request).response.headers.get('etag') ?? '';
  const headers = { 'if-match': etag };
  return readAnswer(api.POST('/api/v1/factories/{factory}/reverts', { params, headers, body: { revision } }));
}

const CHANGED = {
  type: 'urn:dockbell:problem:precondition-failed',
  title: 'Changed in between',
  detail: 'The factory changed since this list was read. Nothing was done.',
  status: 412,
  code: 'precondition_failed',
};
