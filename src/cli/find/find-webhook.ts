import type { Webhook } from '../../client/api-types.ts';
import { listRows } from '../../client/list-rows.ts';
import { findAnswer, readAnswer } from '../../client/read-answer.ts';
import { escapeText } from '../../words/escape-text.ts';
import type { CommandSession } from '../command-session.ts';
import { CliError } from '../exit-codes.ts';
import { describeIdForms, findWebhookUid, LAST, pickLast } from './find-id.ts';

/** Help text for arguments that `findWebhook` reads. */
export const WEBHOOK_ARGUMENT = `the webhook: its name, ${describeIdForms('wh')}`;

/** All webhooks of the factory, by name. */
export async function listWebhooks(session: CommandSession): Promise<Webhook[]> {
  const [api, factory] = [await session.api(), await session.factory()];
  const page = await listRows(
    (page) =>
      readAnswer(api.GET('/api/v1/factories/{factory}/webhooks', { params: { path: { factory }, query: page } })),
    null,
  );
  return page.data;
}

/**
 * The webhook of that name, UID or unique prefix of a UID, or the one created last for `last`. A deleted one
 * (`deleted_at` is set) is found by its UID.
 */
export async function findWebhook(session: CommandSession, nameOrUid: string): Promise<Webhook> {
  const webhooks = await listWebhooks(session);
  const listed = webhooks.find(({ name, uid }) => name === nameOrUid || uid === nameOrUid);
  if (listed !== undefined) return listed;
  const found = nameOrUid === LAST ? pickLast(webhooks) : await findByUid(session, nameOrUid);
  if (found !== null) return found;
  const factory = await session.factory();
  const known = webhooks.map((webhook) => escapeText(webhook.name)).join(', ');
  throw new CliError(`Factory ${escapeText(factory)} has no webhook '${escapeText(nameOrUid)}'.`, {
    code: 'not_found',
    hint: known === '' ? 'It has no webhooks.' : `It has: ${known}.`,
  });
}

async function findByUid(session: CommandSession, text: string): Promise<Webhook | null> {
  const uid = await findWebhookUid(session, text);
  if (uid === null) return null;
  const [api, factory] = [await session.api(), await session.factory()];
  return findAnswer(api.GET('/api/v1/factories/{factory}/webhooks/{uid}', { params: { path: { factory, uid } } }));
}
