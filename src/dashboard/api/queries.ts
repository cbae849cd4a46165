import { queryOptions } from '@tanstack/react-query';
import type { Factory, Webhook } from '../../client/api-types.ts';
import { readAnswer, readTagged } from '../../client/read-answer.ts';
import { SHARE_LIST } from '../parts/live/share-rows.ts';
import { api } from './client.ts';

/**
 * One function per query. Query keys go from general to specific, so that a live event can invalidate a prefix:
 * `['factory', name, 'webhooks', uid, ...]`.
 */
export const factoriesQuery = queryOptions({
  queryKey: ['factories'],
  queryFn: async () => (await readAnswer(api.GET('/api/v1/factories'))).data,
});

/** Counts and conditions of one factory. */
export function readFactory(factory: string): Promise<Factory> {
  return readAnswer(api.GET('/api/v1/factories/{factory}', { params: { path: { factory } } }));
}

export function webhooksQuery(factory: string) {
  return queryOptions({
    queryKey: ['factory', factory, 'webhooks'],
    queryFn: async () => {
      const request = api.GET('/api/v1/factories/{factory}/webhooks', { params: { path: { factory } } });
      return (await readAnswer(request)).data;
    },
  });
}

/** The deleted webhooks, the last one first. */
export function deletedWebhooksQuery(factory: string) {
  return queryOptions({
    queryKey: ['factory', factory, 'webhooks', 'deleted'],
    queryFn: async () => {
      const params = { path: { factory }, query: { deleted: true } };
      const { data } = await readAnswer(api.GET('/api/v1/factories/{factory}/webhooks', { params }));
      return data.sort((a, b) => Date.parse(b.deleted_at ?? '') - Date.parse(a.deleted_at ?? ''));
    },
  });
}

/** A webhook with its entity tag, which an edit must send. */
export interface TaggedWebhook {
  webhook: Webhook;
  etag: string | null;
}

export function webhookQuery(factory: string, uid: string) {
  return queryOptions({
    queryKey: ['factory', factory, 'webhooks', uid],
    queryFn: () => readWebhook(factory, uid),
  });
}

export async function readWebhook(factory: string, uid: string): Promise<TaggedWebhook> {
  const request = api.GET('/api/v1/factories/{factory}/webhooks/{uid}', { params: { path: { factory, uid } } });
  const { value, etag } = await readTagged(request);
  return { webhook: value, etag };
}

/** The most recent deliveries of one webhook. */
export function webhookDeliveriesQuery(factory: string, uid: string, limit: number) {
  return queryOptions({
    queryKey: ['factory', factory, 'webhooks', uid, 'deliveries', limit],
    ...SHARE_LIST,
    queryFn: async () => {
      const params = { path: { factory, uid }, query: { limit } };
      return (await readAnswer(api.GET('/api/v1/factories/{factory}/webhooks/{uid}/deliveries', { params }))).data;
    },
  });
}

export function webhookHandshakesQuery(factory: string, uid: string, limit: number) {
  return queryOptions({
    queryKey: ['factory', factory, 'webhooks', uid, 'handshakes', limit],
    queryFn: async () => {
      const params = { path: { factory, uid }, query: { limit } };
      return (await readAnswer(api.GET('/api/v1/factories/{factory}/webhooks/{uid}/handshakes', { params }))).data;
    },
  });
}

/** The table of signature schemes. It changes only with the version of the daemon. */
export const signatureSchemesQuery = queryOptions({
  queryKey: ['signature-schemes'],
  queryFn: async () => (await readAnswer(api.GET('/api/v1/signature-schemes'))).data,
  staleTime: Number.POSITIVE_INFINITY,
});
