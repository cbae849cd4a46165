import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Capture, Delivery, DeliveryLabel, Diagnosis } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import type { LogPage } from '../parts/live/log-page.ts';
import { SHARE_PAGE } from '../parts/live/share-rows.ts';
import { api } from './client.ts';

/** Time ranges that end now, by their name in the URL. */
export const TIME_SPANS_MS = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000 } as const;
export type TimeSpan = keyof typeof TIME_SPANS_MS;

/** A moving or a fixed time range. Times are in RFC 3339, `to` is not included. */
export type DeliveryTime =
  | { kind: 'last'; span: TimeSpan }
  | { kind: 'between'; from: string | null; to: string | null };

/** Filter of the delivery log of a factory; `null` means any. */
export interface DeliveryFilter {
  /** UID of a webhook. `null` for all, including deleted ones. */
  webhook: string | null;
  label: DeliveryLabel | null;
  /** The exact delivery ID. */
  deliveryId: string | null;
  time: DeliveryTime | null;
  /** The name of the event, or the part of it before a dot. */
  event: string | null;
  /** Only accepted deliveries that started no run. */
  unmatched: true | null;
  /** A text in the payload. */
  text: string | null;
}

/** Newest first. */
export function deliveriesQuery(factory: string, filter: DeliveryFilter, cursor: string | null) {
  return queryOptions({
    queryKey: ['factory', factory, 'deliveries', 'list', filter, cursor],
    ...SHARE_PAGE,
    queryFn: (): Promise<LogPage<Delivery> & { examined_to?: string | null }> => {
      const { webhook: uid, label, deliveryId, time, event, unmatched, text } = filter;
      const query = {
        label: label ?? undefined,
        delivery_id: deliveryId ?? undefined,
        cursor: cursor ?? undefined,
        event: event ?? undefined,
        unmatched: unmatched ?? undefined,
        search: text ?? undefined,
        ...(time === null ? {} : writeTime(time)),
      };
      if (uid === null) {
        return readAnswer(api.GET('/api/v1/factories/{factory}/deliveries', { params: { path: { factory }, query } }));
      }
      const params = { path: { factory, uid }, query };
      return readAnswer(api.GET('/api/v1/factories/{factory}/webhooks/{uid}/deliveries', { params }));
    },
  });
}

export function writeTime(time: DeliveryTime): { from?: string; to?: string } {
  if (time.kind === 'last') return { from: new Date(Date.now() - TIME_SPANS_MS[time.span]).toISOString() };
  return { from: time.from ?? undefined, to: time.to ?? undefined };
}

export function deliveryQuery(factory: string, id: string) {
  return queryOptions({
    queryKey: ['factory', factory, 'deliveries', id],
    queryFn: () => readAnswer(api.GET('/api/v1/deliveries/{id}', { params: { path: { id } } })),
  });
}

/** The body as text, exactly as the sender wrote it. */
export function payloadQuery(factory: string, id: string) {
  return queryOptions({
    queryKey: ['factory', factory, 'deliveries', id, 'payload'],
    queryFn: async (): Promise<string> => {
      const request = api.GET('/api/v1/deliveries/{id}/payload', { params: { path: { id } }, parseAs: 'text' });
      return (await readAnswer(request)) as string;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

const FIRST_PAGE: { cursor?: string } = {};

export function explanationQuery(factory: string, id: string) {
  return infiniteQueryOptions({
    queryKey: ['factory', factory, 'deliveries', id, 'explanation'],
    queryFn: ({ pageParam: query }) =>
      readAnswer(api.GET('/api/v1/deliveries/{id}/explain', { params: { path: { id }, query } })),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ next_cursor }) => (next_cursor === null ? undefined : { cursor: next_cursor }),
  });
}

/** URL to download the body. */
export function payloadHref(id: string): string {
  return `/api/v1/deliveries/${encodeURIComponent(id)}/payload`;
}

export function diagnoseDelivery(id: string): Promise<Diagnosis> {
  return readAnswer(api.GET('/api/v1/deliveries/{id}/diagnosis', { params: { path: { id } } }));
}

/** @param automation `null` for all automations of the webhook */
export function replayDelivery(id: string, automation: string | null): Promise<Delivery> {
  return readAnswer(api.POST('/api/v1/deliveries/{id}/replay', { params: { path: { id } }, body: { automation } }));
}

/** Captures rejected requests of a webhook for a limited time, for diagnosis. */
export function openCapture(factory: string, uid: string, forSeconds: number): Promise<Capture> {
  const params = { path: { factory, uid } };
  const body = { for_seconds: forSeconds };
  return readAnswer(api.POST('/api/v1/factories/{factory}/webhooks/{uid}/capture', { params, body }));
}
