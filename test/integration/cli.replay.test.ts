import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { runCli } from '../helpers/run-cli.ts';
import type { SeededServices } from '../helpers/seeded-services.ts';
import {
  createSeededServer,
  createSeededServices,
  DELIVERY_ID,
  REJECTED_ID,
  REPLAY_JOB_ID,
} from '../helpers/seeded-services.ts';

let services: SeededServices;
let app: ReturnType<typeof createSeededServer>;
let env: Record<string, string>;

beforeEach(async () => {
  services = createSeededServices();
  app = createSeededServer(services);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  env = { DOCKBELL_URL: url, DOCKBELL_TOKEN: services.grant('operator'), DOCKBELL_FACTORY: 'payments' };
});

afterEach(() => app.close());

const run = (...argv: string[]) => runCli(argv, { env, clock: services.clock });
const listIds = async () => (await run('replay', 'list', '--quiet')).stdout.trim().split('\n');

describe('dockbell replay', () => {
  it('prints with --dry-run what each automation would start, with examples', async () => {
    const { code, stdout } = await run('replay', '--from', '2h', '--dry-run');
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        'Dry run: 1 delivery would be replayed, and start 1 run.',
        'Not replayed: 1. The delivery is a replay of another one.',
        '',
        'AUTOMATION  RUNS  EXAMPLES',
        `fix-errors  1     ${DELIVERY_ID}`,
        '',
      ].join('\n'),
    );
    expect(await listIds()).toEqual([REPLAY_JOB_ID]);
    const json = JSON.parse((await run('replay', DELIVERY_ID, '--dry-run', '--json')).stdout);
    expect(json).toMatchObject({ total: 1, replayed: 1, complete: true });
  });

  it('ends with the dry run without a terminal and --yes, and names --yes', async () => {
    const { code, stdout, stderr } = await run('replay', DELIVERY_ID);
    expect([code, stdout.split('\n')[0]]).toEqual([2, 'Dry run: 1 delivery would be replayed, and start 1 run.']);
    expect(stderr).toContain('Add --yes');
    expect(await listIds()).toEqual([REPLAY_JOB_ID]);
  });

  it('replays with --yes, and waits for the end with --wait', async () => {
    const waited = await run('replay', DELIVERY_ID, '--yes', '--wait', '--rate', '1000/s');
    expect(waited.stdout).toMatch(/Replay rpl_[0-9a-z]{26} finished: 1 delivery replayed, 1 run started\.\n$/);
    const started = await run('replay', '--webhook', 'internal-ci', '--label', 'accepted', '--yes');
    const id = /Replay (rpl_\w+) started\. Progress: dockbell replay show rpl_\w+\n$/.exec(started.stdout)?.[1];
    expect((await listIds())[0]).toBe(id);
    await eventually(async () => (await run('replay', 'show', 'last')).stdout.includes('finished'));
    expect((await run('replay', 'show', id!)).stdout).toMatch(/^Replayed: +1, of which 1 started a run$/m);
    expect(await run('replay', 'cancel', id!)).toMatchObject({ code: 1 });
  });

  it.each([
    ['n\n', 1, 1],
    ['y\n', 0, 2],
  ])('shows the dry run on a terminal, then asks: %j', async (typed, code, replays) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    stdin.end(typed);
    const asked = await runCli(['replay', DELIVERY_ID], { env, clock: services.clock, stdin });
    expect([asked.code, asked.stdout.split('\n')[0]]).toEqual([
      code,
      'Dry run: 1 delivery would be replayed, and start 1 run.',
    ]);
    expect(asked.stderr).toContain('Replay 1 delivery? [y/N] ');
    expect(await listIds()).toHaveLength(replays);
  });

  it('does nothing if nothing matches', async () => {
    const { code, stdout } = await run('replay', '--event', 'push');
    expect([code, stdout]).toEqual([0, 'Dry run: No delivery would be replayed.\n']);
  });

  it.each([
    ['a delivery and filters', [DELIVERY_ID, '--from', '2h'], 2, 'not both'],
    ['neither', [], 2, 'Specify what to replay'],
    ['another label', ['--label', 'Duplicate'], 2, 'have no payload'],
    ['a rate without a number', ['--from', '2h', '--rate', 'fast'], 2, 'whole number from 1 to 1000'],
    ['a rejected delivery', [REJECTED_ID, '--yes'], 1, 'Only accepted deliveries'],
    ['an unknown delivery', ['no-such-id', '--yes'], 1, 'There is no delivery'],
  ])('rejects %s', async (_, argv, code, message) => {
    const failed = await run('replay', ...argv);
    expect(failed.stderr).toContain(message);
    expect(failed.code).toBe(code);
  });

  it('prints its help, also after a delivery', async () => {
    expect((await run('replay', 'start', '--help')).stdout).toContain('--as-of');
    expect(await run('replay', 'dlv_x', '--help')).toMatchObject({ code: 0 });
  });
});

describe('dockbell replay list', () => {
  it('shows the progress of each replay, without control characters of others', async () => {
    const { stdout } = await run('replay', 'list');
    expect(stdout.split('\n')[0]).toBe(
      'ID                              STATE     WHEN      EXAMINED  REPLAYED  RUNS  BY',
    );
    expect(stdout).toContain(REPLAY_JOB_ID);
    expect((await run('replay', 'list', '--state', 'running')).stdout).toBe('No replays yet.\n');
  });
});
