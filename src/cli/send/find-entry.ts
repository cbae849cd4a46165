import type { Delivery, Webhook } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { findDeliveryIdPath } from '../../definitions/signature/schemes/delivery-id-path.ts';
import { isJsonObject, type Json, readPath } from '../../domain/json.ts';
import { isStoredStatus } from '../../domain/words/deliveries.ts';
import type { CommandSession } from '../command-session.ts';
import type { Message } from './test-delivery.ts';

/** The log entry of the delivery that was just sent. `null` if it was not accepted or is not found. */
export async function findEntry(
  session: CommandSession,
  webhook: Webhook,
  message: Message,
  answer: { status: number; body: string },
): Promise<Delivery | null> {
  if (!isStoredStatus(answer.status)) return null;
  // Some providers get another body as the answer.
  const deliveryId = readText(answer.body, ['delivery_id']) ?? readSentId(webhook, message);
  if (deliveryId === null) return null;
  const api = await session.api();
  const { data } = await readAnswer(
    api.GET('/api/v1/factories/{factory}/webhooks/{uid}/deliveries', {
      params: { path: webhook, query: { delivery_id: deliveryId, limit: 1 } },
    }),
  );
  return data[0] ?? null;
}

/** Does the webhook read the delivery ID in the body? */
export function namesDeliveryInBody(webhook: Webhook): boolean {
  return webhook.delivery_id_header === null && findIdPath(webhook) !== null;
}

/** The delivery ID that the body of the message has, or gets before it is posted. */
function readSentId(webhook: Webhook, { body, deliveryId }: Message): string | null {
  if (!namesDeliveryInBody(webhook)) return null;
  return deliveryId ?? readText(Buffer.from(body).toString('utf8'), findIdPath(webhook)!);
}

function findIdPath({ delivery_id_path: deliveryIdPath, signature_scheme: signatureScheme }: Webhook) {
  return findDeliveryIdPath({ deliveryIdPath, signatureScheme });
}

/** `null` if the text is not a JSON object with a text at the path. */
function readText(json: string, path: readonly string[]): string | null {
  try {
    const value: Json = JSON.parse(json);
    const found = isJsonObject(value) ? readPath(value, path) : null;
    return typeof found === 'string' ? found : null;
  } catch {
    return null;
  }
}
