import { Counter, type Registry } from 'prom-client';
import type { UnloggedRejection } from '../../../domain/ports/metrics.ts';
import type { UNLOGGED_REASONS, UnloggedReason } from '../../../domain/words/unlogged-reasons.ts';
import { addToTally, type Tally, takePending } from './tally.ts';

/** All of them have a series from the start, so that the first rejection is already an increase. */
const REJECTIONS: readonly Rejection[] = [
  'not_found',
  'method_not_allowed',
  'delivery_rate',
  'failed_auth_rate',
  'rejection_rows',
  'overloaded',
  'storage',
  'internal',
];

type Rejection = UnloggedRejection | NonNullable<(typeof UNLOGGED_REASONS)[UnloggedReason]['rejection']>;

/** Counts rejected requests without a row in the log, of all webhooks. */
export function createRejectionCounter(registry: Registry): (reason: Rejection, count: number) => void {
  const tallies = new Map<Rejection, Tally>(REJECTIONS.map((reason) => [reason, { pending: 0 }]));
  new Counter({
    name: 'dockbell_ingress_refusals_total',
    help: 'Rejected requests without a row in the delivery log, to known and unknown webhooks, by reason.',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      for (const [reason, tally] of tallies) this.inc({ reason }, takePending(tally));
    },
  });
  return (reason, count) => addToTally(tallies, reason, count);
}
