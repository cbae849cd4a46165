import type { QueryClient } from '@tanstack/react-query';
import { factoriesQuery } from './queries.ts';
import { sessionQuery } from './session.ts';

/** Asks who looks and which factories there are, while the page is still being set up: every first page waits for both. */
export async function askFirst(client: QueryClient): Promise<void> {
  // What cannot be had is asked for again, and told, by the page.
  const user = await client.fetchQuery(sessionQuery).catch(() => null);
  if (user !== null) await client.prefetchQuery(factoriesQuery);
}
