import { type AppliedWebhook, readPayloadPath } from '../../../domain/resources/webhook.ts';
import type { BodyPath } from '../scheme.ts';
import { findScheme } from './schemes.ts';

/**
 * Where a payload has the delivery ID of its sender: the path that the webhook names, otherwise that of its scheme. `null` if
 * there is none (provider triggers, "What the run receives, and duplicates").
 */
export function findDeliveryIdPath({
  deliveryIdPath,
  signatureScheme,
}: Pick<AppliedWebhook, 'deliveryIdPath' | 'signatureScheme'>): BodyPath | null {
  if (deliveryIdPath !== null) return readPayloadPath(deliveryIdPath);
  return findScheme(signatureScheme ?? '')?.eventId?.path ?? null;
}
