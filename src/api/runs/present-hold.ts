import { AppError } from '../../domain/errors.ts';
import type { JsonSchema } from '../../domain/json.ts';
import type { HoldOutcome, LeaseTerm } from '../../domain/ports/workers.ts';
import type { Run } from '../../domain/resources/run.ts';
import { formatInstant } from '../../domain/time/clock.ts';

/** Identifies the attempt that a worker or a receiver holds. */
export const fence: JsonSchema = {
  type: 'integer',
  minimum: 1,
  description:
    'The fencing number that the claim answered, or that the request to the receiver contained. If a later attempt exists, the run is lost (409).',
};

export function presentTerm({ leaseMs, expiresAt }: LeaseTerm) {
  return { lease_seconds: leaseMs / 1000, lease_expires_at: formatInstant(expiresAt) };
}

/** Throws `not_found` for an unknown run, and `conflict` for one that is lost. */
export function requireHeld<T>(outcome: HoldOutcome<T> | null): { outcome: 'held' } & T {
  if (outcome === null) throw new AppError('not_found', 'There is no such run.');
  if (outcome.outcome === 'held') return outcome;
  throw new AppError('conflict', `${describeLoss(outcome.run)} Stop working on it.`);
}

function describeLoss({ state, attempt, executor, error }: Run): string {
  if (state === 'queued') return `The lease had expired and the run is queued again, as attempt ${attempt}.`;
  if (state !== 'running')
    return `The run has ended as ${state}${error === null || error === state ? '' : ` (${error})`}.`;
  return executor === 'queue'
    ? `The lease had expired and another worker holds the run, with fence ${attempt}.`
    : 'The daemon executes this run by a command.';
}
