import type { Delivery } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import type { DeliveryLabel } from '../../domain/resources/delivery.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CommandSession } from '../command-session.ts';
import { CliError } from '../exit-codes.ts';
import { describeIdArgument, findIdIfAny } from './find-id.ts';

/** Help text for arguments that `findDelivery` reads. */
export const DELIVERY_ARGUMENT = `${describeIdArgument('delivery')}; or the sender's delivery ID`;

// Senders retry a few times. More entries than these would not change the choice.
const MAX_ENTRIES = 100;

/**
 * The ID of the log entry for a text: its own ID, or the delivery ID of the sender. Of several entries with one
 * delivery ID, the most recent one with the label `preferred` is chosen, else the most recent one. Throws `CliError`
 * `not_found`, or `ambiguous` if webhooks share the delivery ID.
 */
export async function findDelivery(
  session: CommandSession,
  text: string,
  preferred: DeliveryLabel = 'Accepted',
): Promise<string> {
  const id = await findIdIfAny(session, 'delivery', text);
  if (id !== null) return id;
  const entries = await listByDeliveryId(session, text);
  const candidates = entries.filter(({ label }) => label === preferred);
  return chooseEntry(text, candidates.length > 0 ? candidates : entries).id;
}

async function listByDeliveryId(session: CommandSession, deliveryId: string): Promise<Delivery[]> {
  const api = await session.api();
  const query = { delivery_id: deliveryId, limit: MAX_ENTRIES };
  const lists = (await session.factories()).map((factory) =>
    readAnswer(api.GET('/api/v1/factories/{factory}/deliveries', { params: { path: { factory }, query } })),
  );
  return (await Promise.all(lists)).flatMap(({ data }) => data);
}

function chooseEntry(text: string, entries: readonly Delivery[]): Delivery {
  const newest = new Map<string, Delivery>();
  for (const entry of entries) {
    const known = newest.get(entry.webhook_uid);
    if (known === undefined || known.id < entry.id) newest.set(entry.webhook_uid, entry);
  }
  const [chosen, ...others] = newest.values();
  if (chosen === undefined) {
    throw new CliError(`There is no delivery '${escapeText(text)}'.`, {
      code: 'not_found',
      hint: `Specify ${DELIVERY_ARGUMENT}. See 'dockbell delivery list'.`,
    });
  }
  if (others.length === 0) return chosen;
  const lines = [chosen, ...others].map(({ id, factory, webhook_name: name }) =>
    escapeText(`  ${id}  ${factory}/${name}`),
  );
  throw new CliError(`More than one webhook has received the delivery ID '${escapeText(text)}'.`, {
    code: 'ambiguous',
    hint: ['Specify the ID of one entry:', ...lines].join('\n'),
  });
}
