import { BlockList, isIP } from 'node:net';

/** Finds the address of the client behind the proxies that the operator trusts. */
export type FindClientAddress = (peerAddress: string, forwardedFor: string | undefined) => string;

/**
 * Believes `X-Forwarded-For` only as far as trusted proxies vouch for it: from its right end, up to the first address
 * that is not a trusted proxy (threat model N12).
 *
 * @param trustedProxies addresses and subnets (`10.0.0.0/8`)
 */
export function createClientAddressFinder(trustedProxies: readonly string[]): FindClientAddress {
  if (trustedProxies.length === 0) return (peerAddress) => normalise(peerAddress);
  const trusted = createBlockList(trustedProxies);
  return (peerAddress, forwardedFor) => {
    const hops = (forwardedFor ?? '').split(',').map((hop) => normalise(hop.trim()));
    let client = normalise(peerAddress);
    while (isTrusted(trusted, client) && hops.length > 0) {
      const hop = hops.pop()!;
      if (isIP(hop) === 0) break;
      client = hop;
    }
    return client;
  };
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

/** An IPv4 address that came over an IPv6 socket is shown as IPv4. */
function normalise(address: string): string {
  return address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}
