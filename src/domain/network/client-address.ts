import { BlockList, isIP } from 'node:net';
import { type RequestHeaders, trimBlanks } from '../deliveries/headers.ts';

/** Finds the address of the client behind the trusted proxies. */
export type FindClientAddress = (peerAddress: string, headers: RequestHeaders) => string;

/** Values in `X-Forwarded-For` that a trusted proxy wrote and that are no address. */
export interface UnreadHops {
  count: number;
  /** The last one, shortened; `null` if all were read. */
  last: string | null;
}

/** The addresses of clients, for all listeners of a daemon. */
export interface ClientAddresses {
  find: FindClientAddress;
  /** Since the start. */
  unread(): UnreadHops;
}

/** More consecutive proxies than anyone uses. The entries to the left of them were written by the sender. */
const MAX_HOPS = 32;
/** Of a value that is no address. */
const MAX_SHOWN_CHARACTERS = 40;

/** Some proxies add the port of the client, and brackets around an IPv6 address. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/;

/**
 * Uses `X-Forwarded-For` only as far as trusted proxies have written it: from its right end, up to the first address that
 * is not a trusted proxy (threat model N12). The header of any other peer is ignored. A value that is no address ends the
 * search: what is left of it was not written by a trusted proxy. It is counted, because then several clients have one address.
 *
 * @param trustedProxies addresses and subnets (`10.0.0.0/8`)
 */
export function createClientAddresses(trustedProxies: readonly string[]): ClientAddresses {
  const unread: UnreadHops = { count: 0, last: null };
  const trusted = createBlockList(trustedProxies);
  const find: FindClientAddress = (peerAddress, headers) => {
    let client = normalise(peerAddress);
    if (!isTrusted(trusted, client)) return client;
    for (const hop of listHopsFromRight(headers.get('x-forwarded-for') ?? '')) {
      const address = readHop(hop);
      if (address === null) {
        unread.count += 1;
        unread.last = hop.slice(0, MAX_SHOWN_CHARACTERS);
        break;
      }
      client = address;
      if (!isTrusted(trusted, client)) break;
    }
    return client;
  };
  return {
    find: trustedProxies.length === 0 ? (peerAddress) => normalise(peerAddress) : find,
    unread: () => ({ ...unread }),
  };
}

/** Empty values are skipped (RFC 9110, section 5.6.1). */
function* listHopsFromRight(forwardedFor: string): Iterable<string> {
  let end = forwardedFor.length;
  for (let hops = 0; hops < MAX_HOPS && end >= 0; hops++) {
    const comma = end === 0 ? -1 : forwardedFor.lastIndexOf(',', end - 1);
    const hop = trimBlanks(forwardedFor.slice(comma + 1, end));
    if (hop !== '') yield hop;
    end = comma;
  }
}

/** The address of a hop without its port; `null` if it has none. */
function readHop(hop: string): string | null {
  if (isIP(hop) !== 0) return normalise(hop);
  const [, inBrackets, plain] = WITH_PORT.exec(hop) ?? [];
  if (inBrackets !== undefined) return isIP(inBrackets) === 6 ? normalise(inBrackets) : null;
  return plain !== undefined && isIP(plain) === 4 ? plain : null;
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

/** Number of groups of an IPv6 address that identify the network of one customer: a /64. */
const NETWORK_GROUPS = 4;

/**
 * The key that rate limits use for a client: its IPv4 address, or the /64 network of its IPv6 address. A client usually
 * controls all 2^64 addresses of its network, and could otherwise use a new one for each guess.
 *
 * @param address in the format of `node:net`; any other text is returned unchanged
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped !== null) return mapped[1]!;
  const [head = '', tail] = address.split('%', 1)[0]!.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after].slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '').toLowerCase()).join(':')}::/64`;
}
