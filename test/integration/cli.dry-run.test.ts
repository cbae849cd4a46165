import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectDaemon } from '../../src/cli/connect-daemon.ts';
import { type CliSurroundings, runCli } from '../helpers/run-cli.ts';
import { createSeededServer, createSeededServices, RUN_ID, type SeededServices } from '../helpers/seeded-services.ts';

let services: SeededServices;
let app: ReturnType<typeof createSeededServer>;
let env: Record<string, string>;
let tokenId: string;
/** Requests that could have changed something. */
const changes: string[] = [];

beforeAll(async () => {
  services = createSeededServices();
  app = createSeededServer(services);
  app.addHook('onRequest', async (request) => {
    if (request.method !== 'GET') changes.push(`${request.method} ${request.url}`);
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  env = { DOCKBELL_URL: url, DOCKBELL_TOKEN: services.grant('owner') };
  const password = 'correct horse battery staple';
  await run('user create alice --role manager', { stdin: password });
  await run('secret create DEPLOY_KEY --value long-enough-for-a-secret');
  tokenId = JSON.parse((await run('token create grafana --json')).stdout).id;
});

beforeEach(() => void changes.splice(0));
afterAll(() => app.close());

function run(line: string, more: CliSurroundings = {}) {
  return runCli([...line.split(' '), '--factory', 'payments'], { env, clock: services.clock, ...more });
}

describe('--dry-run', () => {
  it.each([
    ['run cancel RUN', /^Cancel run_/],
    ['token revoke TOKEN', /^Revoke the token grafana \(tok_/],
    ['user delete alice', /^Delete the user alice \(usr_/],
    ['user disable alice', /^Disable the user alice \(usr_/],
    ['user sign-out alice', /^End all sessions of the user alice \(usr_/],
    ['secret delete DEPLOY_KEY --force', /^Delete the secret DEPLOY_KEY$/],
  ])('%s prints the change and changes nothing', async (line, action) => {
    const words = line.replace('RUN', RUN_ID).replace('TOKEN', tokenId);
    const typed = Object.assign(new PassThrough(), { isTTY: true });
    const text = await run(`${words} --dry-run`, { stdin: typed });
    expect({ code: text.code, stderr: text.stderr }).toEqual({ code: 0, stderr: '' });
    const [first = '', ...effects] = text.stdout.trimEnd().split('\n');
    const [head, shown] = first.split(': ');
    expect(head).toBe('Dry run, nothing was changed');
    expect(shown!.slice(0, -1)).toMatch(action);
    expect(effects.length).toBeGreaterThan(0);
    expect(changes).toEqual([]);
  });

  it('prints text, or JSON with --json', async () => {
    const { code, stdout } = await run(`token revoke ${tokenId} --dry-run`);
    expect(code).toBe(0);
    expect(stdout).toBe(
      `Dry run, nothing was changed: Revoke the token grafana (${tokenId}).\n  Its next request is rejected.\n`,
    );
    const json = await run(`run cancel ${RUN_ID} --dry-run --json`);
    expect(JSON.parse(json.stdout)).toEqual({
      dry_run: true,
      action: `Cancel ${RUN_ID}`,
      effects: ['It is running, so all processes of this run of fix-errors are stopped.'],
    });
    expect(changes).toEqual([]);
  });

  it.each([
    ['webhook delete internal-ci', 'The factory payments has the source repository.'],
    ['webhook disable internal-ci', 'The factory payments has the source repository.'],
    ['webhook update internal-ci --body-format form', 'The factory payments has the source repository.'],
    ['webhook rotate internal-ci', 'The factory payments has the source repository.'],
    ['automation delete fix-errors', 'The factory payments has the source repository.'],
    ['factory forget payments', 'The configuration still names the factory payments.'],
    ['factory rename payments shop', 'The configuration still names the factory payments.'],
    [`run retry ${RUN_ID}`, `${RUN_ID} has not ended.`],
  ])('%s returns 1 if the daemon would reject it', async (line, reason) => {
    const { code, stdout, stderr } = await run(`${line} --dry-run`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.split('\n')[0]).toBe(`${reason} The daemon would reject the command.`);
    expect(changes).toEqual([]);
  });

  it.each(['webhook delete nothing', 'automation delete nothing', 'secret delete NOTHING', 'user delete nobody'])(
    '%s returns 1 if it does not exist',
    async (line) => {
      const { code, stdout } = await run(`${line} --dry-run`);
      expect({ code, stdout, changes }).toEqual({ code: 1, stdout: '', changes: [] });
    },
  );

  it('only sends GET, regardless of what a command does', async () => {
    const connection = { url: env.DOCKBELL_URL!, token: env.DOCKBELL_TOKEN! };
    const { api, close } = await connectDaemon(connection, { isReadOnly: true });
    const path = { id: RUN_ID };
    await expect(api.POST('/api/v1/runs/{id}/cancel', { params: { path } })).rejects.toThrow('must not send POST');
    expect((await api.GET('/api/v1/runs/{id}', { params: { path } })).data).toMatchObject({ state: 'running' });
    close();
    expect(changes).toEqual([]);
  });
});
