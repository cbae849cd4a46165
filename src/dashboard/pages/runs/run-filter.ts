import type { Run, RunState } from '../../../client/api-types.ts';
import { TIME_SPANS_MS, type TimeSpan } from '../../api/deliveries.ts';
import type { RunFilter } from '../../api/runs.ts';

export const RUN_STATES: readonly RunState[] = ['queued', 'running', 'succeeded', 'failed', 'cancelled'];

/** All runs of a factory. */
export const NO_RUN_FILTER: RunFilter = {
  state: null,
  deadLetter: null,
  automation: null,
  webhook: null,
  revision: null,
  delivery: null,
  search: null,
  last: null,
};

/** Reads the filter from the URL. Unknown values are ignored. */
export function readRunFilter(search: URLSearchParams): RunFilter {
  const last = search.get('last') ?? '';
  const deadLetter = search.get('deadLetter') === 'true' ? true : null;
  return {
    state: deadLetter ? null : (RUN_STATES.find((state) => state === search.get('state')) ?? null),
    deadLetter,
    automation: search.get('automation') || null,
    webhook: search.get('webhook') || null,
    revision: search.get('revision') || null,
    delivery: search.get('delivery') || null,
    search: search.get('search') || null,
    last: Object.hasOwn(TIME_SPANS_MS, last) ? (last as TimeSpan) : null,
  };
}

export function writeRunFilter(filter: RunFilter): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filter).flatMap(([key, value]) => (value === null ? [] : [[key, String(value)]])),
  );
}

export function isOpenFilter(filter: RunFilter): boolean {
  return Object.values(filter).every((part) => part === null);
}

/** Does the filter select only runs that have ended, which can be retried? */
export function isRetryable({ state, deadLetter }: RunFilter): boolean {
  return deadLetter === true || (state !== null && state !== 'queued' && state !== 'running');
}

type FilteredRun = Pick<Run, 'state' | 'automation' | 'webhook_uid' | 'revision' | 'delivery' | 'result'>;

function isInResult(text: string, { result }: FilteredRun): boolean {
  if (result === null) return false;
  const texts = [result.summary ?? '', ...result.links.map(({ title }) => title)];
  return [...texts, ...result.artifacts.map(({ name }) => name)].some((one) =>
    one.toLowerCase().includes(text.toLowerCase()),
  );
}

/** Whether a new or changed run matches the filter. A change of a run is always within the last hours. */
export function takesRun(filter: RunFilter, run: FilteredRun): boolean {
  return (
    (filter.state === null || run.state === filter.state) &&
    (filter.deadLetter === null || run.state === 'failed') &&
    (filter.automation === null || run.automation === filter.automation) &&
    (filter.webhook === null || run.webhook_uid === filter.webhook) &&
    (filter.delivery === null || run.delivery === filter.delivery) &&
    (filter.search === null || isInResult(filter.search, run)) &&
    (filter.revision === null || run.revision?.startsWith(filter.revision) === true)
  );
}
