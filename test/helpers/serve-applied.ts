import type { AppliedFactory } from '../../src/domain/applies/applied.ts';
import { triggerFiltersByWebhook } from '../../src/domain/definitions/trigger.ts';
import type { ServingWebhook } from '../../src/domain/ports/definitions.ts';
import { SecretValue } from '../../src/domain/secrets/secret-value.ts';
import type { PushTrigger } from '../../src/ingress/registry/build-live-webhooks.ts';
import { LiveFactories } from '../../src/ingress/registry/live-factories.ts';
import type { LiveWebhook } from '../../src/ingress/registry/live-webhook.ts';
import { Registry } from '../../src/ingress/registry/registry.ts';

/** Secrets in clear by the webhook's name. */
type SecretTexts = ReadonlyMap<string, string>;

export interface ServedSecrets {
  secrets: SecretTexts;
  verifyTokens?: SecretTexts;
  previousSecrets?: SecretTexts;
}

/** Makes a whole applied factory live, with the given secrets. */
export function serveFactory(live: LiveFactories, applied: AppliedFactory, given: ServedSecrets): void {
  const { name: factory, revision, applyNumber } = applied;
  const automations = applied.automations.map((automation) => ({
    name: automation.name,
    version: automation.version,
    enabled: automation.enabled,
    filters: [...triggerFiltersByWebhook(automation)],
  }));
  live.stage({ factory, automations, isFirst: true, isWhole: true });
  const webhooks = applied.webhooks
    .filter(({ deletedAt }) => deletedAt === null)
    .map(
      (webhook): ServingWebhook => ({
        webhook,
        secret: wrap(given.secrets.get(webhook.name)),
        previousSecret: wrap(given.previousSecrets?.get(webhook.name)),
        verifyToken: wrap(given.verifyTokens?.get(webhook.name)),
      }),
    );
  const changed = { webhooks, deletedWebhooks: [], deletedAutomations: [] };
  live.goLive({ factory, revision, applyNumber, isWhole: true, isStaged: true, ...changed });
}

/** The live webhooks of a factory in a separate registry. */
export function buildLive(
  applied: AppliedFactory,
  given: ServedSecrets,
  pushTrigger: PushTrigger | null = null,
): LiveWebhook[] {
  const registry = new Registry();
  serveFactory(new LiveFactories(registry, () => pushTrigger), applied, given);
  return [...registry.current().webhooks.values()];
}

function wrap(text: string | undefined): SecretValue | null {
  return text === undefined ? null : new SecretValue(text);
}
