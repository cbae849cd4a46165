import { queryOptions } from '@tanstack/react-query';
import type { Run, RunState } from '../../client/api-types.ts';
import { LogTimesReader } from '../../client/log-times-reader.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { countRetryable, type RetryFilters, type RetrySummary, retryMatching } from '../../client/retry-runs.ts';
import type { LogPage } from '../parts/live/log-page.ts';
import { SHARE_PAGE } from '../parts/live/share-rows.ts';
import { api } from './client.ts';
import { TIME_SPANS_MS, type TimeSpan } from './deliveries.ts';

/** Filter of the runs of a factory. */
export interface RunFilter {
  state: RunState | null;
  /** Only runs that failed and have no automatic attempt left. */
  deadLetter: true | null;
  automation: string | null;
  /** UID of a webhook. */
  webhook: string | null;
  /** The first characters of the revision that was live. */
  revision: string | null;
  delivery: string | null;
  /** A text in the result of a run. */
  search: string | null;
  /** Only runs created in this time before now. */
  last: TimeSpan | null;
}

/** Newest first. */
export function runsQuery(factory: string, filter: RunFilter, cursor: string | null) {
  return queryOptions({
    queryKey: ['factory', factory, 'runs', 'list', filter, cursor],
    ...SHARE_PAGE,
    queryFn: (): Promise<LogPage<Run>> => {
      const query = Object.assign(toQuery(filter), { state: filter.state ?? undefined, cursor: cursor ?? undefined });
      return readAnswer(api.GET('/api/v1/factories/{factory}/runs', { params: { path: { factory }, query } }));
    },
  });
}

/** The filter as the management API takes it, without the state. */
function toQuery({ deadLetter, automation, webhook, revision, delivery, search, last }: RunFilter) {
  return {
    dead_letter: deadLetter ?? undefined,
    automation: automation ?? undefined,
    webhook: webhook ?? undefined,
    revision: revision ?? undefined,
    delivery: delivery ?? undefined,
    search: search ?? undefined,
    since: last === null ? undefined : new Date(Date.now() - TIME_SPANS_MS[last]).toISOString(),
  };
}

function toRetryFilters(filter: RunFilter): RetryFilters {
  const { state } = filter;
  const isEndState = state === 'succeeded' || state === 'failed' || state === 'cancelled';
  return Object.assign(toQuery(filter), { state: isEndState ? state : undefined });
}

/** The number of runs that `retryMatchingRuns` would retry. */
export function retryableCountQuery(factory: string, filter: RunFilter) {
  return queryOptions({
    queryKey: ['factory', factory, 'runs', 'retryable', filter],
    queryFn: () => countRetryable(api, factory, toRetryFilters(filter)),
    // It is shown in a question about a change.
    staleTime: 0,
    gcTime: 0,
  });
}

export async function retryMatchingRuns(factory: string, filter: RunFilter): Promise<RetrySummary> {
  const filters = toRetryFilters(filter);
  const path = '/api/v1/factories/{factory}/runs/retry';
  return retryMatching((page) =>
    readAnswer(api.POST(path, { params: { path: { factory } }, body: Object.assign(page, filters) })),
  );
}

export function runQuery(factory: string, id: string) {
  return queryOptions({
    queryKey: ['factory', factory, 'runs', id],
    queryFn: () => readAnswer(api.GET('/api/v1/runs/{id}', { params: { path: { id } } })),
  });
}

export function runInputQuery(factory: string, id: string) {
  return queryOptions({
    queryKey: ['factory', factory, 'runs', id, 'input'],
    queryFn: () => readAnswer(api.GET('/api/v1/runs/{id}/input', { params: { path: { id } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** URL to download an attachment of a run. */
export function runArtifactsQuery(factory: string, { id, attempt }: Pick<Run, 'id' | 'attempt'>) {
  return queryOptions({
    queryKey: ['factory', factory, 'runs', id, 'artifacts', attempt],
    queryFn: () => readAnswer(api.GET('/api/v1/runs/{id}/artifacts', { params: { path: { id }, query: { attempt } } })),
  });
}

/** Where the results of a run were posted. */
export function runPostsQuery(factory: string, { id, attempt, state }: Pick<Run, 'id' | 'attempt' | 'state'>) {
  return queryOptions({
    queryKey: ['factory', factory, 'runs', id, 'posts', attempt, state],
    queryFn: () => readAnswer(api.GET('/api/v1/runs/{id}/posts', { params: { path: { id } } })),
  });
}

export function artifactHref({ id, attempt }: Pick<Run, 'id' | 'attempt'>, number: number): string {
  return `/api/v1/runs/${encodeURIComponent(id)}/artifacts/${number}?attempt=${attempt}`;
}

export function attachmentHref(id: string, name: string): string {
  return `/api/v1/runs/${encodeURIComponent(id)}/attachments/${encodeURIComponent(name)}`;
}

/** A run, or one attempt of it. */
export interface LogSource {
  id: string;
  /** `null` for all attempts. */
  attempt: number | null;
}

/** URL to download the output. */
export function logHref({ id, attempt }: LogSource): string {
  const query = new URLSearchParams({ download: 'true', ...(attempt === null ? {} : { attempt: String(attempt) }) });
  return `/api/v1/runs/${encodeURIComponent(id)}/log?${query}`;
}

/** At most `limit` bytes of the output from `offset`; empty if there are none yet. */
export async function readRunLog({ id, attempt }: LogSource, offset: number, limit: number): Promise<Uint8Array> {
  const params = { path: { id }, query: { offset, limit, attempt: attempt ?? undefined } };
  const bytes = await readAnswer(api.GET('/api/v1/runs/{id}/log', { params, parseAs: 'arrayBuffer' }));
  return new Uint8Array(bytes as unknown as ArrayBuffer);
}

/** Reads when the output was written. */
export function createLogTimesReader({ id, attempt }: LogSource): LogTimesReader {
  return new LogTimesReader(api, { id, attempt: attempt ?? undefined });
}

export async function cancelRun(id: string): Promise<Run> {
  return readAnswer(api.POST('/api/v1/runs/{id}/cancel', { params: { path: { id } } }));
}

export async function retryRun(id: string): Promise<Run> {
  return readAnswer(api.POST('/api/v1/runs/{id}/retry', { params: { path: { id } } }));
}

/** Whether the run has finished. */
export function isEnded({ state }: Run): boolean {
  return state !== 'queued' && state !== 'running';
}
