import type { DeliveryLogEntry, RecordOutcome } from '../../domain/resources/delivery.ts';
import type { Registry } from '../../ingress/registry/registry.ts';

/** The factory whose pull requests may have changed, by an accepted delivery to any of its webhooks; `null` for other entries. */
export function findRequestHint(
  registry: Pick<Registry, 'findByRef'>,
  entry: DeliveryLogEntry,
  outcome: RecordOutcome,
): string | null {
  if (entry.kind !== 'offer' || outcome.label !== 'Accepted' || !isRequestEvent(entry.event)) return null;
  return registry.findByRef(entry.webhook)?.factory ?? null;
}

/** The names of the events that providers send about pull and merge requests: GitHub with its action, GitLab without. */
const REQUEST_EVENT = /^(?:pull_request(?:\.|$)|Merge Request Hook$)/;

/** Is a delivery with this event about a pull request? Only its name is believed. */
export function isRequestEvent(event: string | null): boolean {
  return event !== null && REQUEST_EVENT.test(event);
}
