import { networkOf } from '../../core/client-network.ts';
import type { Clock } from '../../core/time/clock.ts';
import { FailedTries } from './failed-tries.ts';

const MINUTE_MS = 60_000;
/** Guesses of one address, whomever they are about. */
const BY_ADDRESS = { limit: 20, windowMs: 5 * MINUTE_MS };
/** Guesses about one user, wherever they come from. */
const BY_NAME = { limit: 10, windowMs: 15 * MINUTE_MS };
const MAX_FAMILIAR = 10_000;

/**
 * Limits guesses at passwords, which are refused before they are looked at. An address from which a user has signed
 * in has a budget of its own for that user: strangers who guess cannot shut him out there.
 */
export class PasswordTries {
  readonly #byAddress: FailedTries;
  readonly #byName: FailedTries;
  readonly #familiar = new Set<string>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#byAddress = new FailedTries(BY_ADDRESS, clock);
    this.#byName = new FailedTries(BY_NAME, clock);
  }

  /** Throws `too_many_requests` where no further guess may be made. */
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

/** The address comes first, since no address has a space in it: whatever name is tried, it is no other place. */
function describePlace(name: string, address: string): string {
  return `${networkOf(address)} ${name.toLowerCase()}`;
}
