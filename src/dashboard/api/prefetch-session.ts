import type { QueryClient } from '@tanstack/react-query';
import { factoriesQuery } from './queries.ts';
import { sessionQuery } from './session.ts';

/** Reads the session and the factories while the page is still loading, because every page needs both. */
export async function prefetchSession(client: QueryClient): Promise<void> {
  // If a request fails, the page repeats it and shows the error.
  const user = await client.fetchQuery(sessionQuery).catch(() => null);
  if (user !== null) await client.prefetchQuery(factoriesQuery);
}
