import { queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';
import { readAnswer } from './problem.ts';
import type { Capture, Delivery, DeliveryLabel, Diagnosis } from './types.ts';

/** Which part of the delivery log of one webhook is asked for. */
export interface DeliveryFilter {
  webhook: string;
  label: DeliveryLabel | null;
}

export interface Page<Row> {
  data: Row[];
  /** Where the page of older rows begins; `null` for none. */
  next_cursor: string | null;
}

/** Newest first. */
export function deliveriesQuery(factory: string, { webhook, label }: DeliveryFilter, cursor: string | null) {
  return queryOptions({
    queryKey: ['factory', factory, 'deliveries', 'list', webhook, label, cursor],
    queryFn: (): Promise<Page<Delivery>> => {
      const query = { label: label ?? undefined, cursor: cursor ?? undefined };
      const params = { path: { factory, uid: webhook }, query };
      return readAnswer(api.GET('/api/v1/factories/{factory}/webhooks/{uid}/deliveries', { params }));
    },
  });
}

export function deliveryQuery(factory: string, id: string) {
  return queryOptions({
    queryKey: ['factory', factory, 'deliveries', id],
    queryFn: () => readAnswer(api.GET('/api/v1/deliveries/{id}', { params: { path: { id } } })),
  });
}

/** The body as it was posted: text, so that a reader sees what the sender wrote. */
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

export function explanationQuery(factory: string, id: string) {
  return queryOptions({
    queryKey: ['factory', factory, 'deliveries', id, 'explanation'],
    queryFn: () => readAnswer(api.GET('/api/v1/deliveries/{id}/explain', { params: { path: { id } } })),
  });
}

/** Where a browser downloads the body as it was posted. */
export function payloadHref(id: string): string {
  return `/api/v1/deliveries/${encodeURIComponent(id)}/payload`;
}

export function diagnoseDelivery(id: string): Promise<Diagnosis> {
  return readAnswer(api.GET('/api/v1/deliveries/{id}/diagnosis', { params: { path: { id } } }));
}

/** @param automation `null` for all that listen */
export function replayDelivery(id: string, automation: string | null): Promise<Delivery> {
  return readAnswer(api.POST('/api/v1/deliveries/{id}/replay', { params: { path: { id } }, body: { automation } }));
}

/** Keeps rejected requests of a webhook for their diagnosis, for a while. */
export function openCapture(factory: string, uid: string, forSeconds: number): Promise<Capture> {
  const params = { path: { factory, uid } };
  const body = { for_seconds: forSeconds };
  return readAnswer(api.POST('/api/v1/factories/{factory}/webhooks/{uid}/capture', { params, body }));
}
