/** How many of the eight groups of an IPv6 address name the network of one customer: a /64. */
const NETWORK_GROUPS = 4;

/**
 * What a client is counted by: its address, and for IPv6 the /64 that it is in. Whoever has one IPv6 address usually has
 * the 2^64 of its network, and could otherwise guess from a new one each time.
 *
 * @param address as `node:net` gives it; anything else is returned unchanged
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
