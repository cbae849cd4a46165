import { describe, expect, it } from 'vitest';
import { suggest } from './suggest.ts';

const KEYS = ['description', 'authMode', 'signatureScheme', 'secretName', 'deliveryIdHeader', 'enabled'];

describe('suggest', () => {
  it.each([
    ['authmode', 'authMode'],
    ['auth_mode', 'authMode'],
    ['AUTH-MODE', 'authMode'],
    ['autMode', 'authMode'],
    ['authMdoe', 'authMode'],
    ['secret', 'secretName'],
    ['signature', 'signatureScheme'],
    ['enable', 'enabled'],
    ['deliveryHeader', 'deliveryIdHeader'],
    ['name', null],
    ['', null],
    ['x'.repeat(10_000), null],
  ])('%j is probably %j', (written, meant) => expect(suggest(written, KEYS)).toBe(meant));

  it('does not guess between two candidates with the same prefix', () => {
    expect(suggest('secret', ['secretName', 'secretValue'])).toBeNull();
  });
});
