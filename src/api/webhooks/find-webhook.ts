import type { FastifyRequest } from 'fastify';
import { isWebhookUid } from '../../domain/ids.ts';
import type { InventoryReader, WebhookView } from '../../domain/ports/inventory.ts';
import { factoryOf, requireReached } from '../server/reach.ts';

/** The webhook that the path names, in the factory that the path names; deleted ones included. Throws `not_found`. */
export async function findWebhook(inventory: InventoryReader, request: FastifyRequest): Promise<WebhookView> {
  const { uid } = request.params as { uid: string };
  const found = isWebhookUid(uid) ? await inventory.webhook(uid) : null;
  const isHere = found?.factory === factoryOf(request).name;
  return requireReached(request, 'webhook', isHere ? found : null);
}

/** As `findWebhook`, without deleted ones. */
export async function findLiveWebhook(inventory: InventoryReader, request: FastifyRequest): Promise<WebhookView> {
  const found = await findWebhook(inventory, request);
  return requireReached(request, 'webhook', found.deletedAt === null ? found : null);
}
