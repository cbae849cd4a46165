import type { Storage } from '../core/ports/storage.ts';
import type { SecretValue } from '../core/secret-value.ts';
import type { Clock } from '../core/time/clock.ts';
import type { AdoptSecret } from '../ingress/ingress-context.ts';
import { type ActivationParts, activateLastApplied } from '../registry/activate-last-applied.ts';
import { SECRET_PLACEHOLDER } from '../signature/handshakes/handshake.ts';
import type { Reconcilers } from './create-reconcilers.ts';

export interface AdoptionParts extends ActivationParts {
  storage: Pick<Storage, 'inventoryReader'>;
  reconcilers: Pick<Reconcilers, 'betweenPasses'>;
  clock: Clock;
}

/**
 * Makes a secret that a sender brought along the next version of the webhook's team secret, pins it and makes it live:
 * once, and only in the place of the placeholder that the team put there for it. Between two passes, so that no apply
 * pins the placeholder again.
 */
export function createSecretAdoption(parts: AdoptionParts): AdoptSecret {
  return (webhook, value) => parts.reconcilers.betweenPasses(webhook.factory, () => adopt(parts, webhook.uid, value));
}

type Adoption = Awaited<ReturnType<AdoptSecret>>;

async function adopt(parts: AdoptionParts, uid: `wh_${string}`, value: SecretValue): Promise<Adoption> {
  const { storage, inventory, secrets, clock } = parts;
  const webhook = await storage.inventoryReader.webhook(uid);
  if (webhook === null || webhook.deletedAt !== null || !webhook.enabled) return refuse('the webhook is gone');
  const { factory, secretName, secretVersion } = webhook;
  const pinned = await secrets.open(secretName, secretVersion);
  if (pinned?.reveal() !== SECRET_PLACEHOLDER) return refuse('the webhook has its secret already');
  if (webhook.secretState !== 'current') return refuse(`${secretName} has another value that waits for the next apply`);
  const users = (await secrets.list()).find((secret) => secret.name === secretName)?.usedBy ?? [];
  if (users.length > 1) return refuse(`${secretName} is the secret of other webhooks too; give this one its own`);

  const { version } = await secrets.put(secretName, value, 'update');
  const isPinned = await inventory.pinSecret(uid, { from: secretVersion, to: version }, clock.wallMs());
  if (!isPinned) return refuse('the webhook changed at this moment');
  await activateLastApplied(parts, factory);
  return { ok: true };
}

function refuse(detail: string): Adoption {
  return { ok: false, detail };
}
