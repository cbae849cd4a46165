import { encodeHeaderValue, wrapInForm } from '../../definitions/signature/sign/delivery-parts.ts';
import { AppError } from '../../domain/errors.ts';
import type { IdSource } from '../../domain/ids.ts';
import type { BackfillControl, MissedDelivery } from '../../domain/ports/delivery-control.ts';
import type { WebhookView } from '../../domain/ports/inventory.ts';
import type { SecretStore } from '../../domain/ports/secret-store.ts';
import type { BackfillReason } from '../../domain/resources/delivery.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { JSON_FIELD } from '../../domain/words/names.ts';
import { buildSenderRequest, type SenderRequest } from '../../ingress/sender/build-request.ts';
import { isCarriedHeader, isSendableHeader } from '../../ingress/sender/given-headers.ts';
import { postDelivery } from '../../ingress/sender/post-delivery.ts';

interface BackfillParts {
  secrets: Pick<SecretStore, 'open'>;
  clock: Pick<Clock, 'wallMs'>;
  ids: Pick<IdSource, 'deliveryId'>;
  /** Where the ingress listens. */
  ingressUrl(): string;
  /** Where senders reach it. */
  baseUrl(): string;
  /** Would the webhook accept the signature of this request? Headers are name, value, name, value. */
  verifyOriginal(uid: string, request: { headers: readonly string[]; body: Uint8Array }): Promise<boolean>;
  marks: { header: string; issue(reason: BackfillReason): string; withdraw(mark: string): void };
}

/**
 * Posts missed deliveries to the own ingress, so that they pass every check. The provider reports the payload as JSON and not
 * as bytes. If the original signature fits one way to write it, exactly these bytes are posted. Otherwise the request
 * is signed again with the webhook's secret, on behalf of the person who requested the backfill.
 */
export function createBackfill(parts: BackfillParts): BackfillControl {
  return {
    post: async (webhook, delivery) => {
      const original = await findOriginal(parts, webhook, delivery);
      const request = original ?? (await signAgain(parts, webhook, delivery));
      const reason = original === null ? 'backfilled_signed_again' : 'backfilled';
      const mark = parts.marks.issue(reason);
      try {
        const headers = { ...request.headers, [parts.marks.header]: mark };
        const { status, headers: answered } = await postDelivery({ ...request, headers });
        const seconds = Number(answered['retry-after']);
        return { status, retryAfter: Number.isInteger(seconds) && seconds > 0 ? seconds : null, reason };
      } finally {
        parts.marks.withdraw(mark);
      }
    },
  };
}

/** The request with its original signature; `null` if the signature fits no way to write the payload. */
async function findOriginal(
  { ingressUrl, verifyOriginal }: BackfillParts,
  { uid, bodyFormat, formField }: WebhookView,
  { headers, payload }: MissedDelivery,
): Promise<SenderRequest | null> {
  const carried = Object.entries(headers).filter(([name]) => isCarriedHeader(name));
  const encoded = carried.map(([name, value]) => [name, encodeHeaderValue(name, value)] as const);
  for (const text of new Set([payload, JSON.stringify(JSON.parse(payload))])) {
    const json = Buffer.from(text);
    const body = bodyFormat === 'form' ? wrapInForm(formField ?? JSON_FIELD, json) : json;
    if (await verifyOriginal(uid, { headers: encoded.flat(), body })) {
      return { url: `${ingressUrl()}/webhooks/w/${uid}`, headers: Object.fromEntries(encoded), body };
    }
  }
  return null;
}

async function signAgain(
  { secrets, clock, ids, ingressUrl, baseUrl }: BackfillParts,
  webhook: WebhookView,
  { deliveryId, headers, payload }: MissedDelivery,
): Promise<SenderRequest> {
  const secret = await secrets.open(webhook.secretName, webhook.secretVersion);
  if (secret === null) throw new AppError('conflict', `The secret of the webhook ${webhook.name} no longer exists.`);
  const path = `/webhooks/w/${webhook.uid}`;
  const target = { ...webhook, publicUrl: `${baseUrl()}${path}`, ingressUrl: `${ingressUrl()}${path}` };
  const nowMs = clock.wallMs();
  return buildSenderRequest(target, secret.reveal(), {
    body: Buffer.from(payload),
    deliveryId,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => isSendableHeader(name))),
    nowMs,
    newId: () => ids.deliveryId(nowMs),
  });
}
