import { MutationCache, type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import { RequestFailed } from '../../client/read-answer.ts';
import { sessionQuery } from './session.ts';

const MAX_RETRIES = 2;

/**
 * Live events renew what is shown. Nobody listens for what is not: it is read again as soon as it is shown again, and
 * until the answer is there the last one is seen.
 */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    defaultOptions: { queries: { retry: mayPass } },
    queryCache: new QueryCache({ onError: (error) => leaveWhenSignedOut(client, error) }),
    mutationCache: new MutationCache({ onError: (error) => leaveWhenSignedOut(client, error) }),
  });
  readAgainWhatWasOvertaken(client);
  return client;
}

/**
 * What is invalidated while its first answer is under way would count as new with that answer, which may have been given
 * before: the library begins anew only where there was an answer before.
 */
function readAgainWhatWasOvertaken(client: QueryClient): void {
  const overtaken = new WeakSet<Query>();
  client.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated') return;
    const { query, action } = event;
    const isFirstUnderWay = query.state.data === undefined && query.state.fetchStatus === 'fetching';
    if (action.type === 'invalidate' && isFirstUnderWay) overtaken.add(query);
    if (action.type === 'success' && overtaken.delete(query))
      void client.invalidateQueries({ queryKey: query.queryKey, exact: true });
  });
}

/** A refusal is final; silence and trouble inside of the daemon may pass. */
function mayPass(failures: number, error: Error): boolean {
  const isFinal = error instanceof RequestFailed && error.problem.status >= 400 && error.problem.status < 500;
  return !isFinal && failures < MAX_RETRIES;
}

/** A session that ended elsewhere shows the sign-in page, on the same address. */
function leaveWhenSignedOut(client: QueryClient, error: Error): void {
  const isSignedOut = error instanceof RequestFailed && error.problem.status === 401;
  if (isSignedOut && client.getQueryData(sessionQuery.queryKey) != null)
    client.setQueryData(sessionQuery.queryKey, null);
}
