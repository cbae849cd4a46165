import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-directory.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createSeededServer, createSeededServices, type SeededServices } from '../helpers/seeded-services.ts';

// What the program says about the command line itself, and how it reports failures to people and to programs.

const EXAMPLE = fileURLToPath(new URL('../../example-factory', import.meta.url));

describe('help', () => {
  it.each([[[]], [['webhook']], [['audit']]])(
    'of %j without a command goes to standard output and is not an error',
    async (argv) => {
      const { code, stdout, stderr } = await runCli(argv);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toBe((await runCli([...argv, '--help'])).stdout);
    },
  );

  it('of the program lists each command under one heading', async () => {
    const { stdout } = await runCli(['--help']);
    const parts = stdout.split(/^(\w+):\n/m).slice(1);
    const headings = parts.filter((_, i) => i % 2 === 0);
    expect(headings).toEqual(['Options', 'Start', 'Write', 'Operate', 'Investigate', 'Administer', 'Examples']);
    const listed = parts
      .slice(2, -2)
      .join('\n')
      .match(/^ {2}[a-z-]+(?= {2})/gm);
    expect(new Set(listed).size).toBe(listed?.length);
    expect(listed?.map((name) => name.trim())).toEqual([...COMMANDS.map(({ name }) => name), 'help']);
  });

  it('of a group shows the options of the command whose name can be omitted', async () => {
    const { stdout } = await runCli(['replay', '--help']);
    expect(stdout).toContain('Usage: dockbell replay [options] [ref]\n       dockbell replay [options] [command]\n');
    for (const part of [
      '--dry-run',
      '--as-of <time>',
      '-y, --yes',
      'cancel [options] <id>',
      'Examples:',
      'Exit codes:',
    ]) {
      expect(stdout).toContain(part);
    }
  });

  it('of a command in a group is shown by "help GROUP COMMAND"', async () => {
    const { code, stdout } = await runCli(['help', 'webhook', 'show']);
    expect(code).toBe(0);
    expect(stdout).toBe((await runCli(['webhook', 'show', '--help'])).stdout);
  });

  it.each([
    [['statsu', '--help'], "Unknown command 'statsu'\n(Did you mean status?)"],
    [['webhook', 'delte', '--help'], "Unknown command 'delte'\n(Did you mean delete?)"],
    [['help', 'statsu'], "Unknown command 'statsu'\n(Did you mean status?)"],
    [['help', 'webhook', 'delte'], "Unknown command 'delte'\n(Did you mean delete?)"],
    [['nosuch'], "Unknown command 'nosuch'"],
  ])('of a command that does not exist (%j) is an error', async (argv, message) => {
    const { code, stdout, stderr } = await runCli(argv);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  it.each(['init', 'validate', 'schema', 'test', 'demo'])(
    'of %s, which needs no daemon, names none in its exit codes',
    async (name) => {
      const { stdout } = await runCli([name, '--help']);
      expect(stdout).toMatch(/Exit codes: .*2 wrong usage/);
      expect(stdout).not.toContain('cannot be reached');
    },
  );
});

describe('a failure', () => {
  let app: ReturnType<typeof createSeededServer>;
  let env: Record<string, string>;
  let services: SeededServices;

  beforeEach(async () => {
    services = createSeededServices();
    app = createSeededServer(services);
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    env = { DOCKBELL_URL: url, DOCKBELL_TOKEN: services.grant('owner') };
  });
  afterEach(() => app.close());

  /** The error as `--json` reports it. */
  const fail = async (argv: string[], exit: number, more: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await runCli([...argv, '--json'], { env: { ...env, ...more } });
    expect([code, stdout]).toEqual([exit, '']);
    return JSON.parse(stderr).error;
  };

  it.each([
    ['an unknown option', ['status', '--nope'], 2, 'usage', "Unknown option '--nope'"],
    ['a missing argument', ['run', 'show'], 2, 'usage', "Missing required argument 'id'"],
    ['an unknown run', ['run', 'show', 'run_00000000000000000000000000'], 1, 'not_found', 'There is no such run.'],
    [
      'an unknown webhook',
      ['webhook', 'show', 'x', '--factory', 'payments'],
      1,
      'not_found',
      "Factory payments has no webhook 'x'.",
    ],
    [
      'no factory named',
      ['run', 'list'],
      2,
      'ambiguous',
      'The daemon serves 2 factories, so the command has to name one.',
    ],
  ])('is JSON under --json: %s', async (_what, argv, exit, code, message) => {
    expect(await fail(argv, exit)).toMatchObject({ code, message });
  });

  it('has exit code 3 if the daemon cannot be reached', async () => {
    const closed = { DOCKBELL_URL: 'http://127.0.0.1:1' };
    for (const argv of [['status'], ['run', 'list'], ['secret', 'create', 'A_SECRET', '--value', 'x']]) {
      expect(await fail(argv, 3, closed)).toMatchObject({ code: 'unreachable' });
    }
  });

  it('has exit code 3 if the daemon cannot be reached and there is no token for it', async () => {
    const closed = { DOCKBELL_URL: 'http://127.0.0.1:1', DOCKBELL_TOKEN: '' };
    expect(await fail(['status'], 3, closed)).toMatchObject({ code: 'unreachable' });
  });

  it('has exit code 3 if a proxy cannot reach the daemon', async () => {
    const proxy = createServer((_request, response) => response.writeHead(502).end('<html>Bad Gateway</html>'));
    const url = await new Promise<string>((resolve) => {
      proxy.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`));
    });
    expect(await fail(['status'], 3, { DOCKBELL_URL: url })).toMatchObject({ status: 502 });
    proxy.close();
  });

  it('has exit code 4 for a token that is wrong, missing, or not allowed to do this', async () => {
    const secret = ['secret', 'create', 'A_SECRET', '--value', 'long-enough-for-a-secret'];
    expect(await fail(['status'], 4, { DOCKBELL_TOKEN: 'dbk_wrong' })).toMatchObject({
      code: 'unauthorized',
      status: 401,
    });
    expect(await fail(['status'], 4, { DOCKBELL_TOKEN: '' })).toMatchObject({ code: 'unauthorized' });
    expect(await fail(['status'], 4, { DOCKBELL_TOKEN: '', DOCKBELL_TOKEN_FILE: '/nonexistent' })).toMatchObject({
      code: 'unauthorized',
    });
    expect(await fail(secret, 4, { DOCKBELL_TOKEN: services.grant('viewer') })).toMatchObject({ code: 'forbidden' });
  });

  it('has exit code 5 of "plan --detailed-exitcode" if the daemon cannot be reached', async () => {
    const argv = ['plan', EXAMPLE, '--factory', 'payments', '--json'];
    const closed = { env: { ...env, DOCKBELL_URL: 'http://127.0.0.1:1' } };
    expect((await runCli(argv, closed)).code).toBe(3);
    expect((await runCli([...argv, '--detailed-exitcode'], closed)).code).toBe(5);
    const denied = { env: { ...env, DOCKBELL_TOKEN: 'dbk_wrong' } };
    expect((await runCli([...argv, '--detailed-exitcode'], denied)).code).toBe(4);
  });

  it('is text without --json', async () => {
    const { stderr } = await runCli(['run', 'show', 'run_00000000000000000000000000'], { env });
    expect(stderr).toBe('There is no such run.\n');
  });

  it('because of an unknown factory names those that exist', async () => {
    for (const argv of [['status'], ['run', 'list'], ['delivery', 'list']]) {
      const { code, stderr } = await runCli([...argv, '--factory', 'payment'], { env });
      expect([code, stderr]).toEqual([
        1,
        "There is no factory 'payment'.\nDid you mean payments? The daemon serves: other, payments.\n",
      ]);
    }
  });

  it('because of an unknown factory names only those that the token can access', async () => {
    const limited = { ...env, DOCKBELL_TOKEN: services.grant('viewer', ['other']) };
    const { stderr } = await runCli(['run', 'list', '--factory', 'payments'], { env: limited });
    expect(stderr).toBe("There is no factory 'payments'.\nThe daemon serves: other.\n");
  });
});

describe('DOCKBELL_FACTORY', () => {
  it('names the factory if --factory does not', async () => {
    const services = createSeededServices();
    const app = createSeededServer(services);
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const env = { DOCKBELL_URL: url, DOCKBELL_TOKEN: services.grant('owner'), DOCKBELL_FACTORY: 'other' };
    expect(JSON.parse((await runCli(['status', '--json'], { env })).stdout).name).toBe('other');
    expect(JSON.parse((await runCli(['status', '--json', '--factory', 'payments'], { env })).stdout).name).toBe(
      'payments',
    );
    await app.close();
  });
});

describe('output without rows', () => {
  it.each([
    [['user', 'list'], "No users. Create one with 'dockbell user create NAME'.\n"],
    [['run', 'list', '--state', 'cancelled'], 'No matching runs.\n'],
    [['delivery', 'list', '--label', 'Duplicate'], 'No matching deliveries.\n'],
    [['audit', 'list', '--actor', 'usr_unknown'], 'No matching entries.\n'],
    [['reconciliation', 'list'], 'No reconciliations yet.\n'],
  ])('of %j is a sentence, not a bare header', async (argv, sentence) => {
    const none = async () => ({ data: [], nextCursor: null });
    const services = createSeededServices();
    Object.assign(services.reconciliations, { list: none });
    const app = createSeededServer(services);
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const env = { DOCKBELL_URL: url, DOCKBELL_TOKEN: services.grant('owner'), DOCKBELL_FACTORY: 'payments' };
    const { code, stdout } = await runCli(argv, { env });
    await app.close();
    expect([code, stdout]).toEqual([0, sentence]);
  });
});

describe('colors', () => {
  const ESCAPE = '\u001b[';

  it.each([
    ['into a pipe', {}, [], false],
    ['into a pipe with FORCE_COLOR', { FORCE_COLOR: '1' }, [], true],
    ['with FORCE_COLOR and NO_COLOR', { FORCE_COLOR: '1', NO_COLOR: '1' }, [], false],
    ['with FORCE_COLOR and --no-color', { FORCE_COLOR: '1' }, ['--no-color'], false],
  ])('are printed %s: %j %j', async (_what, env, flags, expected) => {
    const factory = fileURLToPath(new URL('../../example-factory', import.meta.url));
    const { code, stdout } = await runCli(['validate', factory, ...flags], { env: env as Record<string, string> });
    expect([code, stdout.includes(ESCAPE)]).toEqual([0, expected]);
  });
});
