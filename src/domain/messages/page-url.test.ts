import { describe, expect, it } from 'vitest';
import { readPageUrl } from './page-url.ts';

describe('the address of a page', () => {
  it.each(['https://git.example/team/factory/pull/7', 'http://git.local:8080/x?y#z'])('is %s', (url) => {
    expect(readPageUrl(url, ['https:', 'http:'])).toBe(url);
  });

  it.each<[what: string, value: unknown]>([
    ['a script', 'javascript:alert(1)'],
    ['a script after white space', ' \tjava\nscript:alert(1)'],
    ['data', 'data:text/html,<script>alert(1)</script>'],
    ['a file', 'file:///etc/passwd'],
    ['a URL with a credential', 'https://github.com@evil.example/'],
    ['a path', '/team/factory/pull/7'],
    ['too long', `https://git.example/${'x'.repeat(2_000)}`],
    ['no text', { href: 'https://git.example' }],
    ['missing', undefined],
  ])('is not %s', (_what, value) => {
    expect(readPageUrl(value, ['https:', 'http:'])).toBeNull();
  });

  it('is not one without TLS if only https is accepted', () => {
    expect(readPageUrl('http://git.local/x', ['https:'])).toBeNull();
    expect(readPageUrl('https://git.local/x', ['https:'])).toBe('https://git.local/x');
  });
});
