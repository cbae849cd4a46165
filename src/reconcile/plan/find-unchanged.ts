import { isDeepStrictEqual } from 'node:util';
import type { AppliedFactory } from '../../domain/applies/applied.ts';
import type { FactoryDefinition } from '../../domain/definitions/definition.ts';
import { pickWith } from '../../domain/resources/fields.ts';
import type { AppliedWebhook } from '../../domain/resources/webhook.ts';
import { type DeclaredWebhook, WEBHOOK_FIELDS } from '../../domain/resources/webhook.ts';

/** The applied webhooks that a definition does not change, by name. They may keep their pinned secrets. */
export function findUnchanged(definition: FactoryDefinition, applied: AppliedFactory): Map<string, AppliedWebhook> {
  const live = new Map(applied.webhooks.filter(isLive).map((webhook) => [webhook.name, webhook]));
  const unchanged = definition.webhooks.flatMap((webhook): [string, AppliedWebhook][] => {
    const before = live.get(webhook.name);
    return before !== undefined && isSameDeclaration(webhook, before) ? [[webhook.name, before]] : [];
  });
  return new Map(unchanged);
}

function isLive(webhook: AppliedWebhook): boolean {
  return webhook.deletedAt === null;
}

function isSameDeclaration(one: DeclaredWebhook, other: DeclaredWebhook): boolean {
  return isDeepStrictEqual(pickWith(WEBHOOK_FIELDS, 'declared', one), pickWith(WEBHOOK_FIELDS, 'declared', other));
}
