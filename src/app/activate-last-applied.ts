import type { AppliedWebhook } from '../core/applied.ts';
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

/** At start: makes live what was applied last, so that the daemon serves also while git cannot be reached. */
export async function activateLastApplied(parts: ActivationParts, factory: string): Promise<void> {
  const applied = await parts.inventory.load(factory);
  if (applied === null) return;
  const secrets = new Map<string, SecretValue>();
  for (const webhook of applied.webhooks) {
    const value = webhook.deletedAt === null ? await openPinnedSecret(parts, webhook) : null;
    if (value !== null) secrets.set(webhook.name, value);
  }
  parts.registry.replaceFactory(factory, buildLiveWebhooks(applied, secrets));
}

/** A pinned value that cannot be read makes its webhook answer `503`; the others go on serving (threat model S4). */
async function openPinnedSecret(
  { secrets, logger }: ActivationParts,
  { factory, name, secretName, secretVersion }: AppliedWebhook,
): Promise<SecretValue | null> {
  const fields = { factory, webhook: name, secretName, secretVersion };
  try {
    const value = await secrets.open(secretName, secretVersion);
    if (value === null) logger.error(fields, 'pinned secret is gone');
    return value;
  } catch (error) {
    logger.error({ ...fields, err: error }, 'pinned secret cannot be read');
    return null;
  }
}
