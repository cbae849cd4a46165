import type { NewWebhook, Webhook } from '../../client/api-types.ts';
import type { paths } from '../../client/openapi.d.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { api } from './client.ts';
import type { TaggedWebhook } from './queries.ts';

type Webhooks = paths['/api/v1/factories/{factory}/webhooks'];
type OneWebhook = paths['/api/v1/factories/{factory}/webhooks/{uid}'];

/** The fields of a new webhook. Blank fields are omitted. */
export type CreateWebhookRequest = Webhooks['post']['requestBody']['content']['application/json'];
type ChangeWebhookRequest = OneWebhook['patch']['requestBody']['content']['application/json'];

/** Creates a webhook. Only this response contains a generated secret. */
export function createWebhook(factory: string, body: CreateWebhookRequest): Promise<NewWebhook> {
  return readAnswer(api.POST('/api/v1/factories/{factory}/webhooks', { params: { path: { factory } }, body }));
}

/** Changes the given fields. Rejected if the webhook changed since it was read. */
export function changeWebhook({ webhook, etag }: TaggedWebhook, body: ChangeWebhookRequest): Promise<Webhook> {
  const path = '/api/v1/factories/{factory}/webhooks/{uid}';
  return readAnswer(api.PATCH(path, { params: { path: webhook }, body, headers: requireTag(etag) }));
}

export async function deleteWebhook({ webhook, etag }: TaggedWebhook): Promise<void> {
  const path = '/api/v1/factories/{factory}/webhooks/{uid}';
  await readAnswer(api.DELETE(path, { params: { path: webhook }, headers: requireTag(etag) }));
}

/** @param secret the secret that the provider issued; if omitted, a new one is generated and returned once */
export function rotateSecret({ webhook, etag }: TaggedWebhook, secret: string | undefined): Promise<NewWebhook> {
  const path = '/api/v1/factories/{factory}/webhooks/{uid}/rotate';
  const body = secret === undefined ? {} : { secret };
  return readAnswer(api.POST(path, { params: { path: webhook }, body, headers: requireTag(etag) }));
}

/** The second setup step for providers that issue the secret later: stores it and enables the webhook. */
export function giveSecret(webhook: Pick<Webhook, 'factory' | 'uid'>, secret: string): Promise<Webhook> {
  const path = '/api/v1/factories/{factory}/webhooks/{uid}/secret';
  return readAnswer(api.POST(path, { params: { path: webhook }, body: { secret } }));
}

function requireTag(etag: string | null): Record<string, string> {
  return etag === null ? {} : { 'if-match': etag };
}
