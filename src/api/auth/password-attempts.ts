import { networkOf } from '../../domain/network/client-address.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { FailedAttempts } from './failed-attempts.ts';

const MINUTE_MS = 60_000;
/** Guesses from one address, for any user. */
const BY_ADDRESS = { name: 'passwords-by-address', limit: 20, windowMs: 5 * MINUTE_MS };
/** Guesses for one user, from any address. */
const BY_NAME = { name: 'passwords-by-user', limit: 10, windowMs: 15 * MINUTE_MS };
const MAX_FAMILIAR = 10_000;

/**
 * Limits guesses at passwords: beyond the limit they are rejected without being checked. An address from which a user
 * has signed in has a separate budget for that user, so guesses from elsewhere cannot lock the user out there.
 */
export class PasswordAttempts {
  readonly #byAddress: FailedAttempts;
  readonly #byName: FailedAttempts;
  readonly #familiar = new Set<string>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#byAddress = new FailedAttempts(BY_ADDRESS, clock);
    this.#byName = new FailedAttempts(BY_NAME, clock);
  }

  /** Throws `too_many_requests` if no further guess is allowed. */
  check(name: string, address: string): void {
    this.#byAddress.check(networkOf(address));
    this.#byName.check(this.#keyOf(name, address));
  }

  noteFailure(name: string, address: string): void {
    this.#byAddress.note(networkOf(address));
    this.#byName.note(this.#keyOf(name, address));
  }

  noteSuccess(name: string, address: string): void {
    const place = describePlace(name, address);
    this.#familiar.delete(place);
    this.#familiar.add(place);
    if (this.#familiar.size > MAX_FAMILIAR) this.#familiar.delete(this.#familiar.values().next().value!);
  }

  #keyOf(name: string, address: string): string {
    const place = describePlace(name, address);
    return this.#familiar.has(place) ? place : `* ${name.toLowerCase()}`;
  }
}

/** The address comes first, since no address has a space in it: no name can make it look like another place. */
function describePlace(name: string, address: string): string {
  return `${networkOf(address)} ${name.toLowerCase()}`;
}
