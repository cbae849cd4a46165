import type { FactoryConfig } from './config.ts';

/** The webhook that reports pushes to the production branch of a factory; `null` if the configuration names none. */
export function findPushTrigger(
  factories: readonly FactoryConfig[],
  name: string,
): { webhook: string; branch: string } | null {
  const source = factories.find((factory) => factory.name === name)?.source;
  if (source?.type !== 'repository' || source.pushWebhook === null) return null;
  return { webhook: source.pushWebhook, branch: source.branch };
}

/** The settings of a factory that need events of a webhook at a provider. The push webhook also reports pull requests. */
export function listFactorySettings(
  factories: readonly FactoryConfig[],
  webhook: { factory: string; name: string },
  provider: string,
): ('pushWebhook' | 'pullRequests')[] {
  if (findPushTrigger(factories, webhook.factory)?.webhook !== webhook.name) return [];
  const checks = factories.find(({ name }) => name === webhook.factory)?.pullRequests;
  return checks?.type === provider ? ['pushWebhook', 'pullRequests'] : ['pushWebhook'];
}
