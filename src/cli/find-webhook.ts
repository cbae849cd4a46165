import { escapeText } from '../core/escape-text.ts';
import { isWebhookUid } from '../core/ids.ts';
import type { Webhook } from './api-types.ts';
import { CliError } from './exit-codes.ts';
import type { Session } from './session.ts';

/** All webhooks of the factory, by name. */
export async function listWebhooks(session: Session): Promise<Webhook[]> {
  const [api, factory] = [await session.api(), await session.factory()];
  const page = await api.list<Webhook>(['factories', factory, 'webhooks'], { limit: null });
  return page.data;
}

/** The webhook of that name or UID, also a deleted one (`deleted_at` is set) by its UID. */
export async function findWebhook(session: Session, nameOrUid: string): Promise<Webhook> {
  const webhooks = await listWebhooks(session);
  const listed = webhooks.find(({ name, uid }) => name === nameOrUid || uid === nameOrUid);
  if (listed !== undefined) return listed;
  const [api, factory] = [await session.api(), await session.factory()];
  const gone = isWebhookUid(nameOrUid) ? await api.find<Webhook>(['factories', factory, 'webhooks', nameOrUid]) : null;
  if (gone !== null) return gone;
  const known = webhooks.map((webhook) => escapeText(webhook.name)).join(', ');
  throw new CliError(`Factory ${escapeText(factory)} has no webhook '${escapeText(nameOrUid)}'.`, {
    hint: known === '' ? 'It has no webhooks at all.' : `It has: ${known}.`,
  });
}
