import type { NewWebhook, Webhook } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { api } from './client.ts';
import type { TaggedWebhook } from './queries.ts';

/** What the form of a new webhook asks for. Blank fields are left out. */
export interface CreateWebhookRequest {
  name: string;
  description?: string;
  auth_mode: Webhook['auth_mode'];
  signature_scheme?: string;
  secret?: string;
  secret_name?: string;
  delivery_id_header?: string;
}

/** Creates; a generated secret is in the answer this once. */
export function createWebhook(factory: string, body: CreateWebhookRequest): Promise<NewWebhook> {
  return readAnswer(api.POST('/api/v1/factories/{factory}/webhooks', { params: { path: { factory } }, body }));
}

/** Changes what is given; refused where somebody else changed the webhook since it was read. */
export function changeWebhook(
  { webhook, etag }: TaggedWebhook,
  body: { enabled?: boolean; name?: string },
): Promise<Webhook> {
  const path = '/api/v1/factories/{factory}/webhooks/{uid}';
  return readAnswer(api.PATCH(path, { params: { path: webhook }, body, headers: requireTag(etag) }));
}

export async function deleteWebhook({ webhook, etag }: TaggedWebhook): Promise<void> {
  const path = '/api/v1/factories/{factory}/webhooks/{uid}';
  await readAnswer(api.DELETE(path, { params: { path: webhook }, headers: requireTag(etag) }));
}

/** @param secret what the provider issued; left out, a new one is generated and in the answer this once */
export function rotateSecret({ webhook, etag }: TaggedWebhook, secret: string | undefined): Promise<NewWebhook> {
  const path = '/api/v1/factories/{factory}/webhooks/{uid}/rotate';
  const body = secret === undefined ? {} : { secret };
  return readAnswer(api.POST(path, { params: { path: webhook }, body, headers: requireTag(etag) }));
}

/** The second step of a webhook whose provider issues the secret late: stores it and enables the webhook. */
export function giveSecret(webhook: Pick<Webhook, 'factory' | 'uid'>, secret: string): Promise<Webhook> {
  const path = '/api/v1/factories/{factory}/webhooks/{uid}/secret';
  return readAnswer(api.POST(path, { params: { path: webhook }, body: { secret } }));
}

function requireTag(etag: string | null): Record<string, string> {
  return etag === null ? {} : { 'if-match': etag };
}
