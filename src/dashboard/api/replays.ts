import { queryOptions } from '@tanstack/react-query';
import type { Replay } from '../../client/api-types.ts';
import { previewReplay, type ReplaySelection } from '../../client/preview-replay.ts';
import { readAnswer } from '../../client/read-answer.ts';
import type { LogPage } from '../parts/live/log-page.ts';
import { api } from './client.ts';
import { type DeliveryFilter, writeTime } from './deliveries.ts';

/** How often the progress of an open replay is read. */
const POLL_MS = 1_000;
/** Examines up to 20,000 deliveries. People wait for the dialog. */
const PREVIEW_PARTS = 10;

export type { ReplaySelection };

/** Only accepted deliveries are replayed, and never all of a factory by accident. */
export function isReplayable(filter: DeliveryFilter): boolean {
  const { webhook, label, deliveryId, time, event, unmatched, text } = filter;
  const isNarrowed = [webhook, deliveryId, time, event, unmatched, text].some((value) => value !== null);
  return isNarrowed && (label === null || label === 'Accepted');
}

/** The filter as the management API takes it. A time range that ends now is fixed here. */
export function toSelection(filter: DeliveryFilter): ReplaySelection {
  const { webhook, deliveryId, time, event, unmatched, text } = filter;
  const times = time === null ? {} : writeTime(time);
  return {
    webhook: webhook ?? undefined,
    delivery_id: deliveryId ?? undefined,
    event: event ?? undefined,
    unmatched: unmatched ?? undefined,
    search: text ?? undefined,
    from: times.from,
    to: times.to,
  };
}

/** What a replay would start. */
export function previewQuery(factory: string, selection: ReplaySelection) {
  return queryOptions({
    queryKey: ['factory', factory, 'replays', 'preview', selection],
    queryFn: () => previewReplay(api, factory, selection, PREVIEW_PARTS),
    // It is shown in a question about a change.
    staleTime: 0,
    gcTime: 0,
  });
}

export function startReplay(factory: string, selection: ReplaySelection, rate: number): Promise<Replay> {
  const body = Object.assign({ rate }, selection);
  return readAnswer(api.POST('/api/v1/factories/{factory}/replays', { params: { path: { factory } }, body }));
}

export function cancelReplay(id: string): Promise<Replay> {
  return readAnswer(api.POST('/api/v1/replays/{id}/cancel', { params: { path: { id } } }));
}

/** Newest first. Read again while a replay is open. */
export function replaysQuery(factory: string, cursor: string | null) {
  return queryOptions({
    queryKey: ['factory', factory, 'replays', 'list', cursor],
    queryFn: (): Promise<LogPage<Replay>> => {
      const params = { path: { factory }, query: { cursor: cursor ?? undefined } };
      return readAnswer(api.GET('/api/v1/factories/{factory}/replays', { params }));
    },
    refetchInterval: ({ state: { data } }) => (data?.data.some(isOpen) ? POLL_MS : false),
  });
}

/** Read again until the replay ends. */
export function replayQuery(factory: string, id: string) {
  return queryOptions({
    queryKey: ['factory', factory, 'replays', id],
    queryFn: () => readAnswer(api.GET('/api/v1/replays/{id}', { params: { path: { id } } })),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isOpen(data) ? POLL_MS : false),
  });
}

/** Does the replay continue? */
export function isOpen({ state }: Replay): boolean {
  return state === 'pending' || state === 'running';
}
