import { SECRET_PLACEHOLDER } from '../../definitions/signature/handshakes/handshake.ts';
import type { AuditedChange } from '../../domain/access/audit.ts';
import type { IdSource, WebhookUid } from '../../domain/ids.ts';
import type { Inventory, InventoryReader } from '../../domain/ports/inventory.ts';
import type { SecretStore } from '../../domain/ports/secret-store.ts';
import type { AppliedWebhook } from '../../domain/resources/webhook.ts';
import type { SecretValue } from '../../domain/secrets/secret-value.ts';
import type { Clock } from '../../domain/time/clock.ts';
import type { Reconcilers } from '../create-reconcilers.ts';

interface AdoptionParts extends Pick<Reconcilers, 'betweenPasses' | 'serve'> {
  inventory: Pick<InventoryReader, 'webhook'>;
  pins: Pick<Inventory, 'pinSecret'>;
  secrets: SecretStore;
  clock: Pick<Clock, 'wallMs'>;
  ids: IdSource;
}

/** `detail`: why the secret was not adopted. */
type Adoption = { ok: true } | { ok: false; detail: string };

/**
 * Stores a secret that a sender supplies as the next version of the webhook's team secret, pins it and makes it live.
 * This happens once, and only replaces the placeholder that the team stored. It runs between two reconciliations, so
 * that no apply pins the placeholder again.
 */
export function createSecretAdoption(parts: AdoptionParts) {
  return (webhook: { factory: string; uid: WebhookUid }, value: SecretValue): Promise<Adoption> =>
    parts.betweenPasses(webhook.factory, () => adopt(parts, webhook.uid, value));
}

async function adopt(parts: AdoptionParts, uid: WebhookUid, value: SecretValue): Promise<Adoption> {
  const { inventory, pins, secrets } = parts;
  const webhook = await inventory.webhook(uid);
  if (webhook === null || webhook.deletedAt !== null || !webhook.enabled)
    return reject('the webhook was deleted or disabled');
  const { factory, secretName, secretVersion } = webhook;
  const pinned = await secrets.open(secretName, secretVersion);
  if (pinned?.reveal() !== SECRET_PLACEHOLDER) return reject('the webhook already has its secret');
  if (webhook.secretState !== 'current')
    return reject(`${secretName} has a newer version that waits for the next apply`);
  const users = (await secrets.find(secretName))?.usedBy ?? [];
  if (users.length > 1)
    return reject(`${secretName} is also the secret of other webhooks; use a separate secret for this webhook`);

  const { version } = await secrets.put(secretName, value, 'update');
  const versions = { from: secretVersion, to: version };
  const isPinned = await pins.pinSecret(uid, versions, auditPin(parts, webhook, versions));
  if (!isPinned) return reject('the webhook was changed concurrently');
  await parts.serve(factory);
  return { ok: true };
}

function auditPin(
  { ids, clock }: AdoptionParts,
  { factory, uid, name, secretName }: AppliedWebhook,
  { from, to }: { from: number; to: number },
): AuditedChange {
  const at = clock.wallMs();
  return {
    entry: {
      id: ids.auditId(at),
      at,
      actor: null,
      method: 'PIN',
      route: '/api/v1/factories/:factory/webhooks/:uid',
      object: `factories/${encodeURIComponent(factory)}/webhooks/${uid}`,
      changes: {
        secrets: [`${name}: ${secretName} version ${to} instead of ${from}`],
        reason: 'supplied by the sender',
      },
      status: 200,
      clientAddress: 'local',
    },
    objects: [`secrets/${secretName}`],
  };
}

function reject(detail: string): Adoption {
  return { ok: false, detail };
}
