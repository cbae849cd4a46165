import { Counter, type Registry } from 'prom-client';
import type { UnloggedRejection } from '../../../domain/ports/metrics.ts';
import type { UnloggedReason } from '../../../domain/words/unlogged-reasons.ts';
import { addToTally, type Tally, takePending } from './tally.ts';

/** What `dockbell_ingress_refusals_total` calls each reason, as in 0.1.0; `null` for what it does not count. */
const REJECTION_OF_UNLOGGED = {
  disabled: 'not_found',
  deleted: 'not_found',
  not_configured: 'not_found',
  unexpected_path: 'not_found',
  method_not_allowed: 'method_not_allowed',
  delivery_rate: 'delivery_rate',
  failed_auth_rate: 'failed_auth_rate',
  overloaded: 'overloaded',
  storage: 'storage',
  secret_unreadable: 'storage',
  key_unavailable: 'storage',
  internal: 'internal',
  incomplete_body: null,
  malformed_request: null,
  row_not_stored: null,
} as const satisfies Record<UnloggedReason, string | null>;

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

/** How the counter calls a reason; `null` if it does not count the reason. */
export function countsAsRejection(reason: UnloggedReason): Rejection | null {
  return REJECTION_OF_UNLOGGED[reason];
}

type Rejection = UnloggedRejection | NonNullable<(typeof REJECTION_OF_UNLOGGED)[UnloggedReason]>;

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
