import type { AppliedWebhook } from '../core/applied.ts';
import type { WebhookUid } from '../core/ids.ts';

/** UIDs of a definition's webhooks by name, and which of them come back from the dead. */
export interface AssignedUids {
  byName: ReadonlyMap<string, WebhookUid>;
  restored: ReadonlySet<string>;
}

/**
 * A name that was ever applied keeps its UID, also one whose file was away for a while, so that senders' URLs go on
 * working; a new name gets a new one (decisions, "UID of a file that comes back").
 */
export function assignUids(
  names: readonly string[],
  applied: readonly AppliedWebhook[],
  newUid: () => WebhookUid,
): AssignedUids {
  const known = new Map(applied.map((webhook) => [webhook.name, webhook]));
  const byName = new Map(names.map((name) => [name, known.get(name)?.uid ?? newUid()]));
  const restored = new Set(names.filter((name) => (known.get(name)?.deletedAt ?? null) !== null));
  return { byName, restored };
}
