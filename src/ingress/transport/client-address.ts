import { BlockList, isIP } from 'node:net';
import { type RequestHeaders, trimBlanks } from '../../core/headers.ts';

/** Finds the address of the client behind the trusted proxies. */
export type FindClientAddress = (peerAddress: string, headers: RequestHeaders) => string;

/** More consecutive proxies than anyone uses. The entries to the left of them were written by the sender. */
const MAX_HOPS = 32;

/**
 * Uses `X-Forwarded-For` only as far as trusted proxies have written it: from its right end, up to the first address that
 * is not a trusted proxy (threat model N12). The header of any other peer is ignored.
 *
 * @param trustedProxies addresses and subnets (`10.0.0.0/8`)
 */
export function createClientAddressFinder(trustedProxies: readonly string[]): FindClientAddress {
  if (trustedProxies.length === 0) return (peerAddress) => normalise(peerAddress);
  const trusted = createBlockList(trustedProxies);
  return (peerAddress, headers) => {
    let client = normalise(peerAddress);
    if (!isTrusted(trusted, client)) return client;
    for (const hop of listHopsFromRight(headers.get('x-forwarded-for') ?? '')) {
      if (isIP(hop) === 0) break;
      client = hop;
      if (!isTrusted(trusted, client)) break;
    }
    return client;
  };
}

function* listHopsFromRight(forwardedFor: string): Iterable<string> {
  let end = forwardedFor.length;
  for (let hops = 0; hops < MAX_HOPS && end >= 0; hops++) {
    const comma = end === 0 ? -1 : forwardedFor.lastIndexOf(',', end - 1);
    yield normalise(trimBlanks(forwardedFor.slice(comma + 1, end)));
    end = comma;
  }
}

function createBlockList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function isTrusted(list: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/** Converts the IPv4 address of an IPv6 socket to its IPv4 form. */
function normalise(address: string): string {
  return address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}
