import type { Webhook } from '../../client/api-types.ts';
import { listRows } from '../../client/list-rows.ts';
import { findAnswer, readAnswer } from '../../client/read-answer.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CommandSession } from '../command-session.ts';
import { CliError } from '../exit-codes.ts';
import { describeIdForms, findWebhookUid, LAST, pickLast } from './find-id.ts';

/** Help text for arguments that `findWebhook` reads. */
export const WEBHOOK_ARGUMENT = `the webhook: its name, ${describeIdForms('wh')}`;

/** All webhooks of the factory, by name. */
export async function listWebhooks(session: CommandSession): Promise<Webhook[]> {
  return (await readWebhooks(session)).data;
}

/** The webhooks of the factory as the API lists them: those that exist, or the deleted ones. */
export async function readWebhooks(session: CommandSession, query: { deleted?: boolean } = {}) {
  const [api, factory] = [await session.api(), await session.factory()];
  const read = (page: { limit?: number; cursor?: string }) =>
    api.GET('/api/v1/factories/{factory}/webhooks', { params: { path: { factory }, query: { ...query, ...page } } });
  return listRows((page) => readAnswer(read(page)), null);
}

/**
 * The webhook of that name, UID or unique prefix of a UID, or the one created last for `last`. A deleted one
 * (`deleted_at` is set) is found by its UID.
 */
export async function findWebhook(session: CommandSession, nameOrUid: string): Promise<Webhook> {
  const found = await searchWebhook(session, nameOrUid);
  if ('uid' in found) return found;
  const deleted = await findDeleted(session, nameOrUid);
  const wasDeleted =
    deleted === null ? '' : `It was deleted: see 'dockbell webhook show ${escapeText(deleted.name)}'. `;
  throw describeUnknown(await session.factory(), nameOrUid, `${wasDeleted}${describeNames(found.others)}`);
}

/** As `findWebhook`. A deleted webhook is also found by a name that no webhook has now. */
export async function findWebhookOrDeleted(session: CommandSession, nameOrUid: string): Promise<Webhook> {
  const found = await searchWebhook(session, nameOrUid);
  if ('uid' in found) return found;
  const deleted = await findDeleted(session, nameOrUid);
  if (deleted !== null) return deleted;
  throw describeUnknown(await session.factory(), nameOrUid, describeNames(found.others));
}

/** The webhook, or the ones that exist. */
async function searchWebhook(session: CommandSession, nameOrUid: string): Promise<Webhook | { others: Webhook[] }> {
  const webhooks = await listWebhooks(session);
  const listed = webhooks.find(({ name, uid }) => name === nameOrUid || uid === nameOrUid);
  if (listed !== undefined) return listed;
  const found = nameOrUid === LAST ? pickLast(webhooks) : await findByUid(session, nameOrUid);
  return found ?? { others: webhooks };
}

function describeUnknown(factory: string, nameOrUid: string, hint: string): CliError {
  const message = `Factory ${escapeText(factory)} has no webhook '${escapeText(nameOrUid)}'.`;
  return new CliError(message, { code: 'not_found', hint });
}

function describeNames(webhooks: readonly Webhook[]): string {
  const known = webhooks.map((webhook) => escapeText(webhook.name)).join(', ');
  return known === '' ? 'It has no webhooks.' : `It has: ${known}.`;
}

/** The webhook with that name that was deleted last. */
async function findDeleted(session: CommandSession, name: string): Promise<Webhook | null> {
  const { data } = await readWebhooks(session, { deleted: true });
  const named = data.filter((webhook) => webhook.name === name);
  named.sort((a, b) => Date.parse(b.deleted_at ?? '') - Date.parse(a.deleted_at ?? ''));
  return named[0] ?? null;
}

async function findByUid(session: CommandSession, text: string): Promise<Webhook | null> {
  const uid = await findWebhookUid(session, text);
  if (uid === null) return null;
  const [api, factory] = [await session.api(), await session.factory()];
  return findAnswer(api.GET('/api/v1/factories/{factory}/webhooks/{uid}', { params: { path: { factory, uid } } }));
}
