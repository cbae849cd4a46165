import { isDeepStrictEqual } from 'node:util';
import type { AppliedFactory, AppliedWebhook } from '../core/applied.ts';
import type { FactoryDefinition, WebhookDefinition } from '../core/definition.ts';

/** The applied webhooks that a definition declares as they are, by name: what they are pinned to may stay. */
export function findUnchanged(definition: FactoryDefinition, applied: AppliedFactory): Map<string, AppliedWebhook> {
  const live = new Map(applied.webhooks.filter(isLive).map((webhook) => [webhook.name, webhook]));
  const unchanged = definition.webhooks.flatMap((webhook): [string, AppliedWebhook][] => {
    const before = live.get(webhook.name);
    return before !== undefined && isDeepStrictEqual(describe(webhook), describe(before))
      ? [[webhook.name, before]]
      : [];
  });
  return new Map(unchanged);
}

function isLive(webhook: AppliedWebhook): boolean {
  return webhook.deletedAt === null;
}

function describe(webhook: Omit<WebhookDefinition, 'secretNameAt' | 'verifyTokenSecretNameAt'>) {
  const { authMode, signatureScheme, signature, secretName, verifyTokenSecretName } = webhook;
  const { deliveryIdHeader, enabled, description } = webhook;
  return {
    ...{ authMode, signatureScheme, signature, secretName, verifyTokenSecretName },
    ...{ deliveryIdHeader, enabled, description },
  };
}
