import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeGitFailure } from './git-failure.ts';
import { parseRepositoryUrl, redactCredentials } from './repository-url.ts';
import { DEFAULT_LIMITS } from './source-limits.ts';

const ACCEPTED: [text: string, kind: string, address: string][] = [
  ['/srv/git/factory.git', 'file', '/srv/git/factory.git'],
  ['file:///srv/git/a%20b.git', 'file', '/srv/git/a b.git'],
  ['FILE:///srv/git/x', 'file', '/srv/git/x'],
  ['https://example.com/team/factory.git', 'https', 'https://example.com/team/factory.git'],
  ['HTTPS://Example.com:8443/x', 'https', 'https://example.com:8443/x'],
  ['https://me:pw@example.com/x', 'https', 'https://example.com/x'],
  ['http://127.0.0.1:3000/x', 'http', 'http://127.0.0.1:3000/x'],
  ['http://localhost/x', 'http', 'http://localhost/x'],
  ['ssh://git@example.com:2222/~team/x', 'ssh', 'ssh://git@example.com:2222/~team/x'],
  ['git@example.com:team/x.git', 'ssh', 'git@example.com:team/x.git'],
  ['git@[::1]:team/x.git', 'ssh', 'git@[::1]:team/x.git'],
  ['example.com:team/x.git', 'ssh', 'example.com:team/x.git'],
];

const REFUSED = [
  '',
  ' ',
  'relative/path',
  '--upload-pack=touch /tmp/canary',
  '-oProxyCommand=touch /tmp/canary',
  'ext::sh -c "touch /tmp/canary"',
  'EXT::sh -c x',
  'eXt::sh -c x',
  'fd::7',
  'ftp::https://example.com/x',
  'https::https://example.com/x',
  'ext://sh',
  'git://example.com/x',
  'git+ssh://git@example.com/x',
  'ftp://example.com/x',
  'http://example.com/x',
  'http://127.evil.example/x',
  'http://localhost.example.com/x',
  'https://example.com/x?token=1',
  'https://example.com/x#y',
  'https://',
  'https://me:p%0aw@example.com/x',
  'https://me:%zz@example.com/x',
  'file://server/share',
  'file:///srv/a%0ab',
  'ssh://-oProxyCommand=touch/x',
  'ssh://git@-oProxyCommand=touch/x',
  'ssh://-lroot@example.com/x',
  'ssh://git:pw@example.com/x',
  'ssh://example.com',
  '-oProxyCommand=touch:x',
  'git@-oProxyCommand=touch:x',
  'git@example.com:-x',
  'git@example.com:',
  '/srv/x\n--upload-pack=touch',
  'https://example.com/x\n',
  'git@example.com:x\u0000y',
];

describe('The address of a repository', () => {
  it.each(ACCEPTED)('%j is read as %s', (text, protocol, address) => {
    const result = parseRepositoryUrl(text);
    if (!result.ok) throw new Error(result.message);
    const { location } = result;
    expect(location.kind === 'local' ? ['file', location.path] : [location.protocol, location.gitUrl]).toEqual([
      protocol,
      address,
    ]);
  });

  it.each(REFUSED)('%j is rejected with a sentence that lists the allowed forms', (text) => {
    expect(parseRepositoryUrl(text)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^(The|A|ssh) .+ Use https/),
    });
  });

  it('keeps user name and password apart, decoded', () => {
    expect(parseRepositoryUrl('https://me%40team:p%3Aw@example.com/x')).toMatchObject({
      location: { credentials: { username: 'me@team', password: 'p:w' }, origin: 'https://example.com' },
    });
  });
});

describe('Credentials in a URL', () => {
  const secret = fc.stringMatching(/^[!-~]{8,40}$/).filter((text) => text.trim() === text);

  it('are in no address and in no message, regardless of the output of git', () => {
    fc.assert(
      fc.property(secret, secret, fc.constantFrom(0, 1, 2), (username, password, form) => {
        const parsed = parseRepositoryUrl(
          `https://${encodeURIComponent(username)}:${encodeURIComponent(password)}@git.invalid/r`,
        );
        if (!parsed.ok || parsed.location.kind !== 'remote') throw new Error('The URL was not read.');
        const raw = [`${username}:${password}`, encodeURIComponent(password), password][form];
        const stderr = `fatal: unable to access 'https://${raw}@git.invalid/r/': no (${password})`;
        const failure = describeGitFailure(
          { kind: 'exited', code: 128, stdout: Buffer.alloc(0), stderr },
          parsed.location,
          DEFAULT_LIMITS,
        );
        const shown = `${failure.message} ${parsed.location.gitUrl} ${parsed.location.display}`;
        expect(shown).not.toContain(password);
        expect(shown).not.toContain(encodeURIComponent(password));
        expect(shown).not.toContain(username);
      }),
    );
  });

  it('of any URL are taken out, also of one that we did not read', () => {
    expect(redactCredentials("see 'https://a:b@c@host/x' and ssh://me@host/y", null)).toBe(
      "see 'https://***@host/x' and ssh://***@host/y",
    );
  });

  it.each([
    ['words that could begin a URL', 'a.'.repeat(500_000)],
    ['schemes', 'a://'.repeat(250_000)],
    ['user names', `https://${':a'.repeat(500_000)}`],
    ['names of repositories', 'repository '.repeat(100_000)],
    ['quoted names of repositories', "repository 'a ".repeat(100_000)],
  ])('are looked for in linear time in a million characters of %s', (_name, text) => {
    const location = { kind: 'local', path: '/x', display: '/x' } as const;
    const startedAt = performance.now();
    describeGitFailure({ kind: 'exited', code: 128, stdout: Buffer.alloc(0), stderr: text }, location, DEFAULT_LIMITS);
    expect(performance.now() - startedAt).toBeLessThan(3000);
  });

  it('are not in the sentence that rejects a URL', () => {
    fc.assert(
      fc.property(secret, fc.constantFrom('ssh', 'ftp', 'http', 'ext:', 'https'), (password, scheme) => {
        const result = parseRepositoryUrl(`${scheme}://me:${encodeURIComponent(password)}@example.com/x?y`);
        expect(result).toMatchObject({ ok: false });
        expect(JSON.stringify(result)).not.toContain(encodeURIComponent(password));
      }),
    );
  });
});
