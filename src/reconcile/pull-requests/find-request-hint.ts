import type { DeliveryLogEntry, RecordOutcome } from '../../domain/resources/delivery.ts';
import type { Registry } from '../../ingress/registry/registry.ts';
import { isRequestEvent } from './request-events.ts';

/** The factory whose pull requests may have changed, by an accepted delivery to any of its webhooks; `null` for other entries. */
export function findRequestHint(
  registry: Pick<Registry, 'findByRef'>,
  entry: DeliveryLogEntry,
  outcome: RecordOutcome,
): string | null {
  if (entry.kind !== 'offer' || outcome.label !== 'Accepted' || !isRequestEvent(entry.event)) return null;
  return registry.findByRef(entry.webhook)?.factory ?? null;
}
