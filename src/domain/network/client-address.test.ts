import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createRequestHeaders } from '../../ingress/transport/request-headers.ts';
import type { RequestHeaders } from '../deliveries/headers.ts';
import { createClientAddresses, networkOf } from './client-address.ts';

const forwardedFor = (...values: string[]) =>
  createRequestHeaders(values.flatMap((value) => ['X-Forwarded-For', value]));

describe('the address of the client', () => {
  it('is the peer if no proxy is trusted, regardless of the header (threat model N12)', () => {
    const { find } = createClientAddresses([]);
    expect(find('192.0.2.1', forwardedFor('203.0.113.9'))).toBe('192.0.2.1');
    expect(find('::ffff:192.0.2.1', forwardedFor())).toBe('192.0.2.1');
    expect(find('2001:db8::1', forwardedFor())).toBe('2001:db8::1');
  });

  const { find } = createClientAddresses(['10.0.0.0/8', '2001:db8:1::/48', '192.0.2.7']);
  it.each([
    ['is the peer if it is not a trusted proxy', '192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['is what a trusted proxy saw', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['is what a trusted proxy saw over IPv6', '2001:db8:1::5', '2001:db8:2::9', '2001:db8:2::9'],
    [
      'is read from the right, so that what the sender wrote does not count',
      '10.0.0.1',
      '1.1.1.1, 203.0.113.9',
      '203.0.113.9',
    ],
    ['is found behind several trusted proxies', '10.0.0.1', '1.1.1.1, 203.0.113.9,192.0.2.7 , 10.9.9.9', '203.0.113.9'],
    ['is the farthest proxy if all are trusted', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['is the proxy if there is no header', '10.0.0.1', undefined, '10.0.0.1'],
    ['is the proxy if the header is empty', '10.0.0.1', '', '10.0.0.1'],
    ['is the last good hop before junk', '10.0.0.1', '203.0.113.9, unknown, 10.0.0.2', '10.0.0.2'],
    ['has no port', '10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['is found behind a proxy with a port', '10.0.0.1', '203.0.113.9, 10.0.0.2:80', '203.0.113.9'],
    ['is found before empty values', '10.0.0.1', ' , 203.0.113.9, ,', '203.0.113.9'],
    ['of an IPv4 client in brackets is its IPv4 form', '10.0.0.1', '[::ffff:203.0.113.9]:1', '203.0.113.9'],
    ['is never text in brackets', '10.0.0.1', '[203.0.113.9]', '10.0.0.1'],
    ['is never an address with a port that is none', '10.0.0.1', '203.0.113.9:http', '10.0.0.1'],
    ['of an IPv4 proxy on an IPv6 socket is recognised', '::ffff:10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['may carry a zone', '10.0.0.1', 'fe80::1%eth0', 'fe80::1%eth0'],
    ['of a disconnected peer is passed on', 'unknown', '203.0.113.9', 'unknown'],
  ])('%s', (_what, peer, header, client) => {
    expect(find(peer, header === undefined ? forwardedFor() : forwardedFor(header))).toBe(client);
  });

  it('does not read the header of a peer that is not a trusted proxy', () => {
    const unreadable: RequestHeaders = {
      get: () => {
        throw new Error('read');
      },
    };
    expect(find('192.0.2.1', unreadable)).toBe('192.0.2.1');
    expect(createClientAddresses([]).find('10.0.0.1', unreadable)).toBe('10.0.0.1');
  });

  it('is the farthest of 32 proxies, even if the header names more', () => {
    const proxies = Array.from({ length: 40 }, (_, index) => `10.0.0.${40 - index}`).join(', ');
    expect(find('10.1.0.0', forwardedFor(`203.0.113.9, ${proxies}`))).toBe('10.0.0.32');
  });

  const reported = JSON.parse(readFileSync('test/vectors/cases/forwarded-for.json', 'utf8')) as {
    trustedProxies: string[];
    peer: string;
    cases: { 'X-Forwarded-For': string; expected: string }[];
  };
  it.each(reported.cases)('is $expected for $X-Forwarded-For', ({ 'X-Forwarded-For': header, expected }) => {
    const { find } = createClientAddresses(reported.trustedProxies);
    expect(find(reported.peer, forwardedFor(header))).toBe(expected);
  });

  it('counts what trusted proxies wrote and nobody can read, and nothing else', () => {
    const { find, unread } = createClientAddresses(['10.0.0.0/8']);
    find('10.0.0.1', forwardedFor('junk, 203.0.113.9'));
    find('192.0.2.1', forwardedFor('junk'));
    expect(unread()).toEqual({ count: 0, last: null });
    find('10.0.0.1', forwardedFor('unknown'));
    find('10.0.0.1', forwardedFor(`${'x'.repeat(1000)}, 10.0.0.2`));
    expect(unread()).toEqual({ count: 2, last: 'x'.repeat(40) });
  });
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:ffff::', '2001:db8:0:0::/64'],
  ['2001:db8:1::2:3:4', '2001:db8:1:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['unknown', 'unknown'],
])('%s is counted as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
