import type { FactoryConfig } from '../config/config.ts';
import type { PushTrigger } from '../registry/build-live-webhooks.ts';

/** The webhook that reports pushes to the production branch of a factory; `null` if the configuration names none. */
export function findPushTrigger(factories: readonly FactoryConfig[], name: string): PushTrigger | null {
  const source = factories.find((factory) => factory.name === name)?.source;
  if (source?.type !== 'repository' || source.pushWebhook === null) return null;
  return { webhook: source.pushWebhook, branch: source.branch };
}
