import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../domain/time/clock.ts';
import { type CancelCall, scheduleCall } from '../../domain/time/schedule.ts';
import type { Authenticator, Principal } from '../auth/authenticator.ts';
import type { AccessChanges } from './access-changes.ts';

/** Checked at least this often, because the wall clock that ends sessions can be set. */
const RECHECK_MS = 15_000;

/** What watching takes. */
export interface WatchParts {
  authenticate: Authenticator;
  changes: Pick<AccessChanges, 'subscribe'>;
  clock: Pick<Clock, 'wallMs'>;
}

/**
 * Calls `onLost` once when the credential of a request that is still being answered is revoked or expires, and when its
 * rights change. Checks after every access change and at the moment when the session ends. Returns a function that ends
 * the watch.
 */
export function watchPrincipal(
  { authenticate, changes, clock }: WatchParts,
  request: FastifyRequest,
  principal: Principal,
  onLost: () => void,
): () => void {
  let cancelCheck: CancelCall = () => {};
  let isOver = false;
  const stop = () => {
    isOver = true;
    cancelCheck();
    unsubscribe();
  };
  const lose = () => {
    if (isOver) return;
    stop();
    onLost();
  };
  const check = async () => {
    const current = await authenticate(request, false).catch(() => null);
    if (isOver) return;
    if (current === null || !hasSameRights(current, principal)) lose();
    else schedule(current);
  };
  const schedule = ({ endsAt }: Principal) => {
    cancelCheck();
    // A timer can fire up to a millisecond early: the check then finds the session alive and schedules the next one.
    const delayMs = endsAt === null ? RECHECK_MS : Math.min(Math.max(1, endsAt - clock.wallMs()), RECHECK_MS);
    cancelCheck = scheduleCall(delayMs, check);
  };
  const unsubscribe = changes.subscribe(check);
  // Rights may have changed between the authentication of the request and the subscription.
  void check();
  return stop;
}

function hasSameRights(one: Principal, other: Principal): boolean {
  return one.role === other.role && JSON.stringify(one.factories) === JSON.stringify(other.factories);
}
