import type { Logger } from '../../domain/ports/logger.ts';
import type { DeliveryLogEntry, RecordOutcome } from '../../domain/resources/delivery.ts';
import { describeSubject } from '../../domain/words/runs.ts';
import type { Registry } from '../registry/registry.ts';

/** Logs what the loop guard did not start. */
export function logGuarded(
  logger: Logger,
  registry: Pick<Registry, 'findByRef'>,
  entry: DeliveryLogEntry,
  outcome: RecordOutcome,
): void {
  const automations = outcome.label === 'Accepted' ? outcome.guarded : undefined;
  if (automations === undefined || entry.kind !== 'offer' || entry.subject === undefined) return;
  const webhook = registry.findByRef(entry.webhook);
  const names = { factory: webhook?.factory, webhook: webhook?.name, delivery: entry.id, automations };
  logger.warn({ ...names, subject: describeSubject(entry.subject) }, 'loop guard held back runs');
}
