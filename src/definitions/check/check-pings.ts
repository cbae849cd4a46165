import type { WebhookDefinition } from '../../domain/definitions/definition.ts';
import { isWebhookTrigger, type Trigger } from '../../domain/definitions/trigger.ts';
import type { ProblemCollector } from '../file-diagnostics.ts';
import { writePingFilter } from '../signature/schemes/ping-filter.ts';
import { findScheme } from '../signature/schemes/schemes.ts';
import { quote } from '../yaml/key-path.ts';
import type { References } from './references.ts';

/** Warns about each trigger without a filter that a ping of the provider starts, when the webhook is set up. */
export function checkPings(
  triggers: readonly Trigger[],
  diagnostics: ProblemCollector,
  { webhooks, namesByUid }: Pick<References, 'webhooks' | 'namesByUid'>,
): void {
  for (const [index, trigger] of triggers.entries()) {
    if (!isWebhookTrigger(trigger) || !isEmpty(trigger.payload) || !isEmpty(trigger.headers)) continue;
    const names = [...trigger.webhooks, ...trigger.webhookIds.flatMap((uid) => namesByUid.get(uid) ?? [])];
    for (const name of names) {
      const filter = findPingFilter(webhooks.get(name));
      if (filter === null) continue;
      diagnostics.add({
        rule: 'automation/starts-on-ping',
        at: trigger.at,
        path: ['triggers', index, 'filter'],
        message: `The provider of the webhook ${quote(name)} sends a ping to test it. The trigger has no filter, so the ping starts a run.`,
        hint: `Add to the filter: ${filter}`,
      });
    }
  }
}

function isEmpty(part: object | null | undefined): boolean {
  return part === null || part === undefined || Object.keys(part).length === 0;
}

function findPingFilter(webhook: WebhookDefinition | undefined): string | null {
  const scheme = webhook?.signatureScheme == null ? undefined : findScheme(webhook.signatureScheme);
  return scheme === undefined ? null : writePingFilter(scheme);
}
