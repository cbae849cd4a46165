import type { WebhookUid } from '../../domain/ids.ts';
import type { AppliedWebhook } from '../../domain/resources/webhook.ts';

/** UIDs of a definition's webhooks by name, and the names of restored webhooks. */
export interface AssignedUids {
  byName: ReadonlyMap<string, WebhookUid>;
  restored: ReadonlySet<string>;
}

/**
 * A name that was ever applied keeps its UID, even if its file was deleted in between, so that the URLs of senders stay
 * valid. A new name gets a new UID (decisions, "UID of a file that comes back"). A UID that the source keeps for a
 * renamed webhook takes precedence, and no other name gets it.
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

/** Orders webhooks with the same name: by time of deletion, with the live one last. */
function compareLife(a: AppliedWebhook, b: AppliedWebhook): number {
  return (a.deletedAt ?? Number.POSITIVE_INFINITY) < (b.deletedAt ?? Number.POSITIVE_INFINITY) ? -1 : 1;
}
