import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../helpers/run-cli.ts';
import type { SeededServices } from '../helpers/seeded-services.ts';
import { createSeededServer, createSeededServices } from '../helpers/seeded-services.ts';

// Commands that delete something ask a person first, and never a script.
let services: SeededServices;
let app: ReturnType<typeof createSeededServer>;
let env: Record<string, string>;
let id: string;

beforeEach(async () => {
  services = createSeededServices();
  app = createSeededServer(services);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  env = { DOCKBELL_URL: url, DOCKBELL_TOKEN: services.grant('owner') };
  id = JSON.parse((await runCli(['token', 'create', 'grafana', '--json'], { env, clock: services.clock })).stdout).id;
});
afterEach(() => app.close());

/** Runs the command; `typed` is what a person types, `null` stands for a script. */
function revoke(typed: string | null, ...options: string[]) {
  const terminal = Object.assign(new PassThrough(), { isTTY: true });
  terminal.end(typed ?? '');
  const stdin = typed === null ? '' : terminal;
  return runCli(['token', 'revoke', id, ...options], { env, clock: services.clock, stdin });
}

describe('a command that deletes something', () => {
  const question = () => `Revoke the token grafana (${id})? Its next request is rejected. [y/N] `;
  const exists = async () => (await services.tokens.list()).some((token) => token.id === id);

  it.each(['y\n', 'YES\n', 'y'])('asks on a terminal, and deletes after %j', async (typed) => {
    const { code, stdout, stderr } = await revoke(typed);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `Revoked token ${id}.\n`, stderr: question() });
    expect(await exists()).toBe(false);
  });

  it.each(['\n', 'n\n', 'yet\n', ''])('changes nothing after %j, and returns 1', async (typed) => {
    const { code, stdout, stderr } = await revoke(typed);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(`${question()}Nothing was changed.\nAnswer y, or use --yes to skip the question.\n`);
    expect(await exists()).toBe(true);
  });

  it('does not ask with --yes', async () => {
    expect(await revoke('n\n', '--yes')).toMatchObject({ code: 0, stderr: '' });
    expect(await exists()).toBe(false);
  });

  it('does not ask if standard input is not a terminal', async () => {
    expect(await revoke(null)).toMatchObject({ code: 0, stderr: '' });
    expect(await exists()).toBe(false);
  });

  it.each([
    [['webhook', 'delete', 'internal-ci'], 'Delete the webhook internal-ci? Its senders get 404.'],
    [
      ['webhook', 'rotate', 'internal-ci'],
      'Rotate the secret of internal-ci? The current one stops working immediately.',
    ],
    [['automation', 'delete', 'fix-errors'], 'Delete the automation fix-errors? Deliveries no longer start it.'],
    [['secret', 'delete', 'DEPLOY_KEY'], 'Delete the secret DEPLOY_KEY? Its value cannot be read back.'],
  ])('%j asks too', async (argv, asked) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    stdin.end('n\n');
    const { code, stderr } = await runCli([...argv, '--factory', 'payments'], { env, clock: services.clock, stdin });
    expect([code, stderr.split('\n')[0]]).toEqual([1, `${asked} [y/N] Nothing was changed.`]);
  });
});
