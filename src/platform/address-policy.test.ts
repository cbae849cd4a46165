import { expect, it } from 'vitest';
import { findAddressProblem, isPublicAddress, literalAddress } from './address-policy.ts';

it.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '172.31.255.255',
  '192.168.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:0a00:0001',
  '64:ff9b::10.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '2002:7f00:1::',
  'fc00::1',
  'fdff::1',
  'fe80::1',
  'fe80::1%eth0',
  'ff02::1',
  '::ffff:0:7f00:1',
  '4000::1',
  '3fff::1',
  '5f00::1',
  '100::1',
  '192.88.99.1',
  'localhost',
])('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

it.each(['1.1.1.1', '100.128.0.1', '172.32.0.1', '2606:4700::1111', '::ffff:1.1.1.1', '64:ff9b::101:101'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

it('allows http only to private addresses, and private addresses only on request', () => {
  const problem = (url: string, allowPrivate: boolean) =>
    findAddressProblem(new URL(url), literalAddress(new URL(url))!, { allowPrivate });
  expect(problem('https://1.1.1.1/', false)).toBeNull();
  expect(problem('http://10.0.0.1/', true)).toBeNull();
  expect(problem('https://[::1]:8443/', false)).toBe('the address ::1 is private or reserved');
  // The URL parser reads all spellings of an address.
  expect(problem('https://0x7f.1/', false)).toBe('the address 127.0.0.1 is private or reserved');
  expect(problem('http://1.1.1.1/', true)).toMatch(/is public, and http can be modified/);
});
