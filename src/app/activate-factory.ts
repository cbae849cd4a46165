import type { AppliedWebhook } from '../core/applied.ts';
import type { WebhookUid } from '../core/ids.ts';
import type { Inventory } from '../core/ports/inventory.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { SecretStore } from '../core/ports/secret-store.ts';
import type { SecretValue } from '../core/secret-value.ts';
import { buildLiveWebhooks } from '../registry/build-live-webhooks.ts';
import type { Registry } from '../registry/registry.ts';

export interface ActivationParts {
  inventory: Inventory;
  secrets: SecretStore;
  registry: Registry;
  logger: Logger;
}

/**
 * Makes live what the storage says was applied last: after an apply, and at start, so that the daemon serves also while
 * git cannot be reached.
 */
export async function activateFactory(parts: ActivationParts, factory: string): Promise<void> {
  const applied = await parts.inventory.load(factory);
  if (applied === null) return;
  const secrets = new Map<WebhookUid, SecretValue | null>();
  for (const webhook of applied.webhooks) {
    if (webhook.deletedAt === null) secrets.set(webhook.uid, await openPinnedSecret(parts, webhook));
  }
  parts.registry.replaceFactory(factory, buildLiveWebhooks(applied, secrets));
}

/** A pinned value that cannot be read makes its webhook answer `503`; the others go on serving (threat model S4). */
async function openPinnedSecret(
  { secrets, logger }: ActivationParts,
  webhook: AppliedWebhook,
): Promise<SecretValue | null> {
  const { factory, name, secretName, secretVersion } = webhook;
  try {
    const value = await secrets.open(secretName, secretVersion);
    if (value === null) logger.error({ factory, webhook: name, secretName, secretVersion }, 'pinned secret is gone');
    return value;
  } catch (error) {
    logger.error({ factory, webhook: name, secretName, secretVersion, err: error }, 'pinned secret cannot be read');
    return null;
  }
}
