import { NO_VERSION } from '../core/applied.ts';
import type { Inventory } from '../core/ports/definitions/inventory.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { SecretStore } from '../core/ports/secret-store.ts';
import type { AppliedWebhook } from '../core/resources/webhook.ts';
import type { SecretValue } from '../core/secret-value.ts';
import { buildLiveWebhooks, type PushTrigger } from './build-live-webhooks.ts';
import type { Registry } from './registry.ts';

export interface ActivationParts {
  inventory: Inventory;
  secrets: SecretStore;
  registry: Registry;
  /** The webhook of a factory that reports pushes. */
  pushTrigger(factory: string): PushTrigger | null;
  logger: Logger;
}

/**
 * Makes the last applied definition live at start, so that the daemon accepts deliveries even if git is unreachable.
 */
export async function activateLastApplied(parts: ActivationParts, factory: string): Promise<void> {
  const applied = await parts.inventory.load(factory);
  if (applied === null) return;
  const live = applied.webhooks.filter((webhook) => webhook.deletedAt === null);
  const values = new Map<string, SecretValue>();
  const verifyTokens = new Map<string, SecretValue>();
  for (const webhook of live) {
    if (webhook.secretVersion === NO_VERSION) continue;
    const value = await openPinnedSecret(parts, webhook, webhook.secretName, webhook.secretVersion);
    if (value !== null) values.set(webhook.name, value);
    const { verifyTokenSecretName, verifyTokenSecretVersion } = webhook;
    if (verifyTokenSecretName === null) continue;
    const token = await openPinnedSecret(parts, webhook, verifyTokenSecretName, verifyTokenSecretVersion!);
    if (token !== null) verifyTokens.set(webhook.name, token);
  }
  const pushTrigger = parts.pushTrigger(factory);
  parts.registry.replaceFactory(factory, buildLiveWebhooks(applied, values, verifyTokens, pushTrigger));
}

/** If a pinned value cannot be read, only its webhook answers `503` (threat model S4). */
async function openPinnedSecret(
  { secrets, logger }: ActivationParts,
  { factory, name }: AppliedWebhook,
  secretName: string,
  secretVersion: number,
): Promise<SecretValue | null> {
  const fields = { factory, webhook: name, secretName, secretVersion };
  try {
    const value = await secrets.open(secretName, secretVersion);
    if (value === null) logger.error(fields, 'pinned secret is missing');
    return value;
  } catch (error) {
    logger.error({ ...fields, err: error }, 'pinned secret cannot be read');
    return null;
  }
}
