import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CliSurroundings } from '../helpers/run-cli.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createSeededServer, createSeededServices, type SeededServices } from '../helpers/seeded-services.ts';

const PASSWORD = 'correct horse battery';

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

function run(argv: string[], more: CliSurroundings = {}) {
  return runCli(argv, { env, clock: services.clock, ...more });
}

async function signIn(credentials: object): Promise<number> {
  const answer = await fetch(`${env.DOCKBELL_URL}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  });
  return answer.status;
}

describe('dockbell user', () => {
  it('creates a user with the password from standard input, and shows neither', async () => {
    const created = await run(['user', 'create', 'alice', '--role', 'owner'], { stdin: `${PASSWORD}\n` });
    expect(created.code).toBe(0);
    expect(created.stdout).toMatch(/^Created user alice \(usr_\w+\) with role owner\.\n$/);
    expect(await signIn({ username: 'alice', password: PASSWORD })).toBe(200);
    expect(created.stdout + created.stderr).not.toContain(PASSWORD);
  });

  it('limits a user to a factory, and lists all', async () => {
    await run(['user', 'create', 'bob', '--factory', 'payments'], { stdin: PASSWORD });
    const { data } = JSON.parse((await run(['user', 'list', '--json'])).stdout);
    expect(data).toEqual([expect.objectContaining({ name: 'bob', role: 'viewer', factories: ['payments'] })]);
    expect((await run(['user', 'list'])).stdout).toMatch(
      /^NAME +ID +ROLE +FACTORIES +SIGNS IN +LAST SIGN-IN\nbob +usr_\w+ +viewer +payments +password +/,
    );
  });

  it('changes role and password, disables, enables and deletes by name', async () => {
    await run(['user', 'create', 'Bob'], { stdin: PASSWORD });
    expect((await run(['user', 'set-role', 'bob', 'manager'])).stdout).toBe('User Bob has the role manager.\n');
    expect((await run(['user', 'disable', 'bob'])).stdout).toBe('User Bob is disabled.\n');
    expect(await signIn({ username: 'bob', password: PASSWORD })).toBe(401);
    expect((await run(['user', 'enable', 'bob'])).stdout).toBe('User Bob is enabled.\n');
    expect((await run(['user', 'set-password', 'bob'], { stdin: 'another long password' })).code).toBe(0);
    expect(await signIn({ username: 'bob', password: 'another long password' })).toBe(200);
    expect((await run(['user', 'delete', 'bob'])).stdout).toBe('Deleted user Bob.\n');
    expect(await services.users.list()).toEqual([]);
  });

  it('rejects a weak password, an unknown user, and changes of the last owner', async () => {
    const weak = await run(['user', 'create', 'bob'], { stdin: 'weak' });
    expect([weak.code, weak.stderr]).toEqual([2, expect.stringContaining('12 to 256 characters')]);
    const unknown = await run(['user', 'delete', 'nobody']);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('There is no user nobody.')]);
    await run(['user', 'create', 'alice', '--role', 'owner'], { stdin: PASSWORD });
    const last = await run(['user', 'delete', 'alice']);
    expect([last.code, last.stderr]).toEqual([1, expect.stringContaining('last owner')]);
  });
});

describe('dockbell session', () => {
  it('lists the browsers of a user, and those that signed in with the token', async () => {
    await run(['user', 'create', 'alice'], { stdin: PASSWORD });
    expect((await run(['session', 'list', 'alice'])).stdout).toBe('No sessions.\n');
    await signIn({ username: 'alice', password: PASSWORD });
    const listed = (await run(['session', 'list', 'ALICE'])).stdout;
    expect(listed).toMatch(/^ID +ADDRESS +LAST USED +ENDS +BROWSER\nses_\w+ +127\.0\.0\.1 +\S.* in \S+ +node\n$/);
    expect((await run(['session', 'list'])).stdout).toBe('No sessions.\n');
    expect(await signIn({ api_token: env.DOCKBELL_TOKEN })).toBe(200);
    expect((await run(['session', 'list', '-q'])).stdout).toMatch(/^ses_\w+\n$/);
    expect((await run(['session', 'list', 'nobody'])).stderr).toContain('There is no user nobody.');
  });
});

describe('dockbell session end', () => {
  it('ends one session of the token, and no session of a user', async () => {
    await run(['user', 'create', 'alice'], { stdin: PASSWORD });
    await signIn({ username: 'alice', password: PASSWORD });
    for (let i = 0; i < 2; i += 1) expect(await signIn({ api_token: env.DOCKBELL_TOKEN })).toBe(200);
    const list = async (...user: string[]) => (await run(['session', 'list', ...user, '-q'])).stdout.trim().split('\n');
    const [first = '', second = ''] = await list();
    expect((await run(['session', 'end', first, '--dry-run'])).stdout).toContain(
      `End the session ${first} from 127.0.0.1`,
    );
    expect(await list()).toEqual([first, second]);
    expect(await run(['session', 'end', first])).toMatchObject({ code: 0, stdout: `Ended session ${first}.\n` });
    expect(await list()).toEqual([second]);
    const [ofAlice = ''] = await list('alice');
    for (const ref of [first, ofAlice]) {
      const { code, stderr } = await run(['session', 'end', ref]);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`This token has no session '${ref}'.`)]);
    }
    expect(await list('alice')).toEqual([ofAlice]);
  });
});

describe('dockbell login-link', () => {
  it('prints a link that signs in once', async () => {
    const { code, stdout, stderr } = await run(['login-link']);
    const token = /^http:\/\/127\.0\.0\.1:8788\/login#token=(dbl_\S+)\n$/.exec(stdout)?.[1];
    expect([code, stderr]).toEqual([0, 'The link works once, until 2026-01-02T03:19:05.678Z.\n']);
    expect([await signIn({ login_token: token }), await signIn({ login_token: token })]).toEqual([200, 401]);
  });
});
