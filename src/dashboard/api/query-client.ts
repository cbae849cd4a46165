import { MutationCache, type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import { RequestFailed } from '../../client/read-answer.ts';
import { sessionQuery } from './session.ts';

const MAX_RETRIES = 2;

/**
 * Live events refresh mounted queries. Other queries are read again when they are mounted, and show their last data
 * until then.
 */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    defaultOptions: { queries: { retry: isTemporary } },
    queryCache: new QueryCache({ onError: (error) => leaveWhenSignedOut(client, error) }),
    mutationCache: new MutationCache({ onError: (error) => leaveWhenSignedOut(client, error) }),
  });
  refetchOvertakenQueries(client);
  return client;
}

/**
 * An invalidation during the first request would be lost, because the library restarts only queries that already have data.
 * The response may be older than the invalidation, so the query is read again.
 */
function refetchOvertakenQueries(client: QueryClient): void {
  const overtaken = new WeakSet<Query>();
  client.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated') return;
    const { query, action } = event;
    const isFirstRequest = query.state.data === undefined && query.state.fetchStatus === 'fetching';
    if (action.type === 'invalidate' && isFirstRequest) overtaken.add(query);
    if (action.type === 'success' && overtaken.delete(query))
      void client.invalidateQueries({ queryKey: query.queryKey, exact: true });
  });
}

/** Client errors are final. Missing responses and server errors may be temporary. */
function isTemporary(failures: number, error: Error): boolean {
  const isFinal = error instanceof RequestFailed && error.problem.status >= 400 && error.problem.status < 500;
  return !isFinal && failures < MAX_RETRIES;
}

/** Shows the sign-in page at the same URL when the session has expired. */
function leaveWhenSignedOut(client: QueryClient, error: Error): void {
  const isSignedOut = error instanceof RequestFailed && error.problem.status === 401;
  if (isSignedOut && client.getQueryData(sessionQuery.queryKey) != null)
    client.setQueryData(sessionQuery.queryKey, null);
}
