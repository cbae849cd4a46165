import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashCredential } from '../../src/platform/secrets/credential.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createSeededServer, createSeededServices, type SeededServices } from '../helpers/seeded-services.ts';

const HOSTILE = 'a\u001b[31mb\u202e';

let services: SeededServices;
let app: ReturnType<typeof createSeededServer>;
let env: Record<string, string>;

beforeEach(async () => {
  services = createSeededServices();
  app = createSeededServer(services);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  env = { DOCKBELL_URL: url, DOCKBELL_TOKEN: services.grant('owner') };
});

afterEach(() => app.close());

const run = (...argv: string[]) => runCli(argv, { env, clock: services.clock });
const post = (path: string, token: string, body: object) =>
  fetch(`${env.DOCKBELL_URL}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });

describe('dockbell audit list', () => {
  it('lists actor, action, client address and outcome, the most recent first', async () => {
    await run('token', 'create', 'ci');
    await post('/session', env.DOCKBELL_TOKEN!, { username: 'nobody', password: 'wrong' });
    const { code, stdout } = await run('audit', 'list');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^WHEN +WHO +ACTION +OBJECT +OUTCOME +FROM +DETAIL\njust now +- +Sign in +session +refused +127\.0\.0\.1.*\njust now +owner +Create API token +tokens\/tok_\w+ +done +127\.0\.0\.1/,
    );
  });

  it('filters by the name of an actor, an object, an outcome and a time', async () => {
    await run('token', 'create', 'ci');
    await post('/login-links', services.grant('viewer'), {});
    services.clock.advance(60_000);
    await run('token', 'create', 'later');
    const list = async (...options: string[]) =>
      JSON.parse((await run('audit', 'list', '--json', ...options)).stdout).data;
    expect(await list('--actor', 'viewer')).toMatchObject([{ actor: { name: 'viewer' }, status: 403 }]);
    expect(await list('--object', 'tokens', '--limit', '1')).toMatchObject([{ changes: { name: 'later' } }]);
    expect(await list('--outcome', 'refused')).toHaveLength(1);
    expect(await list('--from', '2026-01-02T03:05:00Z')).toHaveLength(1);
    expect(await list('--actor', 'usr_gone')).toEqual([]);
    expect((await run('audit', 'list', '--actor', 'usr_gone')).stdout).toBe('No matching entries.\n');
    expect((await run('audit', 'list', '--from', 'yesterday')).code).toBe(2);
  });

  it('escapes hostile names', async () => {
    // Dockbell 0.1.0 took control characters in the names of tokens, and its tokens are still valid.
    const text = `dbk_${'A'.repeat(43)}`;
    const token = { id: services.ids.tokenId(0), name: HOSTILE, role: 'owner', factories: null } as const;
    await services.tokens.insert({ ...token, createdAt: 0, lastUsedAt: null, expiresAt: null }, hashCredential(text));
    await post('/login-links', text, {});
    const { stdout } = await run('audit', 'list');
    expect(stdout).toContain('a\\x1b[31mb\\u{202e}');
    expect(stdout).not.toContain('\u001b');
  });
});

describe('dockbell user sign-out', () => {
  it('ends the sessions of a user', async () => {
    const user = { name: 'alice', role: 'viewer', password: 'correct horse battery' };
    await post('/users', env.DOCKBELL_TOKEN!, user);
    const signedIn = await fetch(`${env.DOCKBELL_URL}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: user.name, password: user.password }),
    });
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
    const ask = async () => (await fetch(`${env.DOCKBELL_URL}/api/v1/session`, { headers: { cookie } })).status;
    expect(await ask()).toBe(200);
    expect((await run('user', 'sign-out', 'alice')).stdout).toBe('User alice is signed out everywhere.\n');
    expect(await ask()).toBe(401);
  });
});
