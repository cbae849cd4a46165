import type { WebhookUid } from '../core/ids.ts';
import type { AppliedWebhook } from '../core/resources/webhook.ts';

/** UIDs of a definition's webhooks by name, and which of them come back from the dead. */
export interface AssignedUids {
  byName: ReadonlyMap<string, WebhookUid>;
  restored: ReadonlySet<string>;
}

/**
 * A name that was ever applied keeps its UID, also one whose file was away for a while, so that senders' URLs go on
 * working; a new name gets a new one (decisions, "UID of a file that comes back"). A UID that the source keeps with a
 * renamed webhook wins, and goes to no other name.
 */
export function assignUids(
  names: readonly string[],
  applied: readonly AppliedWebhook[],
  newUid: () => WebhookUid,
  kept: ReadonlyMap<string, WebhookUid> = new Map(),
): AssignedUids {
  const taken = new Set(kept.values());
  const known = new Map(
    [...applied]
      .sort(compareLife)
      .filter(({ uid }) => !taken.has(uid))
      .map(({ name, uid }) => [name, uid]),
  );
  const byName = new Map(names.map((name) => [name, kept.get(name) ?? known.get(name) ?? newUid()]));
  const deleted = new Set(applied.filter(({ deletedAt }) => deletedAt !== null).map(({ uid }) => uid));
  const restored = new Set(names.filter((name) => deleted.has(byName.get(name)!)));
  return { byName, restored };
}

/** Of several that had one name, the one that lives comes last, before it the one that was deleted last. */
function compareLife(a: AppliedWebhook, b: AppliedWebhook): number {
  return (a.deletedAt ?? Number.POSITIVE_INFINITY) < (b.deletedAt ?? Number.POSITIVE_INFINITY) ? -1 : 1;
}
