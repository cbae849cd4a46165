import type { FactoryConfig } from '../config/config.ts';
import type { PushTrigger } from '../ingress/registry/build-live-webhooks.ts';
import type { FactorySetting } from '../outbound/connect/hook-provider.ts';

/** The webhook that reports pushes to the production branch of a factory; `null` if the configuration names none. */
export function findPushTrigger(factories: readonly FactoryConfig[], name: string): PushTrigger | null {
  const source = factories.find((factory) => factory.name === name)?.source;
  if (source?.type !== 'repository' || source.pushWebhook === null) return null;
  return { webhook: source.pushWebhook, branch: source.branch };
}

/** The settings of a factory that need events of a webhook at a provider. The push webhook also reports pull requests. */
export function listFactorySettings(
  factories: readonly FactoryConfig[],
  webhook: { factory: string; name: string },
  provider: string,
): FactorySetting[] {
  if (findPushTrigger(factories, webhook.factory)?.webhook !== webhook.name) return [];
  const checks = factories.find(({ name }) => name === webhook.factory)?.pullRequests;
  return checks?.type === provider ? ['pushWebhook', 'pullRequests'] : ['pushWebhook'];
}
