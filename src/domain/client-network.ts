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
