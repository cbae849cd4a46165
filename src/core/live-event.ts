import type { Reconciliation } from './reconciliation.ts';
import type { Delivery } from './resources/delivery.ts';
import type { Run } from './resources/run.ts';

/** A logged delivery, a created or changed run, or a finished reconciliation. Published after it is on disk. */
export type LiveEvent =
  | { kind: 'delivery'; delivery: Delivery }
  | { kind: 'run'; run: Run }
  | { kind: 'reconciliation'; reconciliation: Reconciliation };

/** The factory that the event belongs to. */
export function factoryOfEvent(event: LiveEvent): string {
  if (event.kind === 'delivery') return event.delivery.factory;
  return event.kind === 'run' ? event.run.factory : event.reconciliation.factory;
}
