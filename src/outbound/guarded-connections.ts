import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import {
  ADDRESS_REJECTED,
  type AddressPolicy,
  findAddressProblem,
  literalAddress,
} from '../platform/address-policy.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const MAX_HEADER_BYTES = 16_384;

/**
 * Connections to the host of one URL. Each address is checked when it is connected to, so a DNS entry that changes between
 * a check and the connection makes no difference. Throws an error with the code `ADDRESS_REJECTED` if the URL contains an
 * address that the policy does not allow.
 */
export async function openGuardedConnections(url: URL, policy: AddressPolicy): Promise<Dispatcher> {
  const address = literalAddress(url);
  const problem = address === null ? null : findAddressProblem(url, address, policy);
  if (problem !== null) throw rejectAddress(problem);
  const { Agent } = await import('undici');
  const connect = { lookup: guardLookup(url, policy), timeout: CONNECT_TIMEOUT_MS };
  // HTTP/2 has no such limit of headers.
  return new Agent({ connect, maxHeaderSize: MAX_HEADER_BYTES, allowH2: false });
}

/** A lookup that returns only the allowed addresses of a host. */
function guardLookup(url: URL, policy: AddressPolicy): LookupFunction {
  return (hostname, options: LookupOptions, done) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, '');
      const problems = addresses.map(({ address }) => findAddressProblem(url, address, policy));
      const allowed = addresses.filter((_, index) => problems[index] === null);
      const [first] = allowed as [LookupAddress?];
      if (first === undefined) return done(rejectAddress(problems[0] ?? 'the host has no address'), '');
      if (options.all === true) return done(null, allowed);
      done(null, first.address, first.family);
    });
  };
}

function rejectAddress(problem: string): NodeJS.ErrnoException {
  return Object.assign(new Error(problem), { code: ADDRESS_REJECTED });
}
