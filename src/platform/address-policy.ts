import { BlockList, isIP } from 'node:net';

/** Code of the error for an address that the policy does not allow. */
export const ADDRESS_REJECTED = 'DOCKBELL_ADDRESS_REJECTED';

/** https://www.iana.org/assignments/iana-ipv4-special-registry: everything that is not a public host. */
const SPECIAL_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** The only addresses of IPv6 that are assigned to hosts on the internet. */
const GLOBAL_V6 = ['2000::/3'];

/** https://www.iana.org/assignments/iana-ipv6-special-registry: the part of `GLOBAL_V6` that is not a public host. */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const special = createBlockList({ ipv4: SPECIAL_V4, ipv6: SPECIAL_V6 });
const global = createBlockList({ ipv6: GLOBAL_V6 });

function createBlockList(subnets: { ipv4?: readonly string[]; ipv6: readonly string[] }): BlockList {
  const list = new BlockList();
  for (const family of ['ipv4', 'ipv6'] as const) {
    for (const subnet of subnets[family] ?? []) {
      const [address = '', bits] = subnet.split('/');
      list.addSubnet(address, Number(bits), family);
    }
  }
  return list;
}

/** Whether the address is on the public internet: not private, not of this machine, not reserved. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !special.check(address, 'ipv4');
  if (version !== 6) return false;
  const embedded = readEmbedded(address);
  if (embedded !== null) return isPublicAddress(embedded);
  return global.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

/** The IPv4 address in `::ffff:0:0/96` and in the NAT64 prefix `64:ff9b::/96`; `null` for other addresses. */
function readEmbedded(address: string): string | null {
  // The URL parser writes each address in one form.
  const canonical = new URL(`http://[${address.split('%', 1)[0]}]`).hostname.slice(1, -1);
  const [, high, low] = /^(?:::ffff:|64:ff9b::)(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (low === undefined) return null;
  const [upper, lower] = [Number.parseInt(high ?? '0', 16), Number.parseInt(low, 16)];
  return [upper >> 8, upper & 255, lower >> 8, lower & 255].join('.');
}

/** Which addresses a URL may lead to. */
export interface AddressPolicy {
  /** Allow private, loopback and reserved addresses too, and http to them. */
  allowPrivate: boolean;
}

/** Explains why a request to this URL must not connect to this address; `null` if it may. */
export function findAddressProblem(url: URL, address: string, { allowPrivate }: AddressPolicy): string | null {
  if (!isPublicAddress(address)) return allowPrivate ? null : `the address ${address} is private or reserved`;
  return url.protocol === 'https:' ? null : `the address ${address} is public, and http can be modified in transit`;
}

/**
 * Explains why a URL of the configuration can never be used, because it contains an address that its policy does not allow;
 * `null` if it may be. The text follows the name of the option. Addresses of names are checked at each connection.
 */
export function findConfiguredProblem(url: URL, policy: AddressPolicy): string | null {
  const address = literalAddress(url);
  const problem = address === null ? null : findAddressProblem(url, address, policy);
  if (problem === null) return null;
  const advice = isPublicAddress(address!)
    ? 'Use https'
    : 'If this address is meant, set allowPrivateAddresses to true';
  return `cannot be used: ${problem}. ${advice}`;
}

/** The address that a URL contains instead of a name; `null` for a name. */
export function literalAddress({ hostname }: URL): string | null {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 ? null : address;
}
