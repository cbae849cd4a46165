import type { RunRetries } from './api-types.ts';
import type { ApiClient } from './create-api-client.ts';
import type { paths } from './openapi.d.ts';
import { readAnswer } from './read-answer.ts';

type CountQuery = NonNullable<paths['/api/v1/factories/{factory}/runs/retryable']['get']['parameters']['query']>;

/** Which runs are retried. Without a state: those that failed. */
export type RetryFilters = Omit<CountQuery, 'cursor' | 'limit'>;

/** What the retries so far have done. */
export interface RetrySummary {
  retried: number;
  rejected: readonly { run: string; reason: string; reason_text: string }[];
}

/** The number of runs that match. */
export async function countRetryable(api: ApiClient, factory: string, filters: RetryFilters): Promise<number> {
  let total = 0;
  let cursor: string | null = null;
  do {
    const query: CountQuery = cursor === null ? filters : Object.assign({ cursor }, filters);
    const path = '/api/v1/factories/{factory}/runs/retryable';
    const page: { count: number; next_cursor: string | null } = await readAnswer(
      api.GET(path, { params: { path: { factory }, query } }),
    );
    total += page.count;
    cursor = page.next_cursor;
  } while (cursor !== null);
  return total;
}

/**
 * Retries all runs that match, one page after the other.
 *
 * @param retryPage sends one request
 * @param onPage called after each request, so that a failure of a later one does not hide what was done
 */
export async function retryMatching(
  retryPage: (page: { cursor?: string }) => Promise<RunRetries>,
  onPage: (summary: RetrySummary) => void = () => undefined,
): Promise<RetrySummary> {
  let summary: RetrySummary = { retried: 0, rejected: [] };
  let cursor: string | null = null;
  do {
    const { retried, rejected, next_cursor }: RunRetries = await retryPage(cursor === null ? {} : { cursor });
    summary = { retried: summary.retried + retried, rejected: [...summary.rejected, ...rejected] };
    onPage(summary);
    cursor = next_cursor;
  } while (cursor !== null);
  return summary;
}
