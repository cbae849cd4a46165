import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyCiFactory, CI_TOKEN, configureCiFactory, createCiRepository } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { TestReplicas } from '../helpers/replicas.ts';
import { type S3Server, startS3Server } from '../helpers/s3-server.ts';
import { startPostgres, type TestPostgres, withClient } from '../helpers/start-postgres.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import type { TempGitRepo } from '../helpers/temp-git-repo.ts';
import type { DaemonProcess } from '../helpers/test-daemon.ts';

/** A lost leader is replaced after 15 seconds without a sign of life. */
const TAKE_OVER_MS = 60_000;

/**
 * The first automation names the daemon that executes it, and writes until the daemon is lost. The second one writes lines for two
 * seconds, then many of them.
 */
const COMMAND = `
if [ "$DOCKBELL_AUTOMATION" = second ]; then
  for i in 1 2 3 4; do echo "slow $i"; sleep 0.5; done
  exec seq 1 60000
fi
echo "daemon $PPID"
i=0
while echo "line $i"; do i=$((i + 1)); sleep 0.1; done`;

let server: TestPostgres;
let bucket: S3Server;
let repo: TempGitRepo;
let daemons: DaemonProcess[];
/** IDs of the runs, by automation. */
let runs: Record<string, string>;
beforeAll(async () => {
  [server, repo, bucket] = await Promise.all([
    startPostgres(),
    createCiRepository(),
    startS3Server(createTempDir('s3')),
  ]);
  const config = { ...configureCiFactory(repo, ['/bin/sh', '-c', COMMAND]), storage: { s3: bucket.settings } };
  const replicas = new TestReplicas(await server.createDatabase('logs'), { config });
  const first = await replicas.start();
  const uid = await applyCiFactory(first);
  daemons = [first, await replicas.start()];
  const sent = await fetch(`${first.ingressUrl}/webhooks/w/${uid}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${CI_TOKEN}` },
    body: '{"start":true}',
  });
  expect(sent.status).toBe(202);
  runs = await eventually(async () => {
    const { data } = (await first.api('/factories/payments/runs')).body as {
      data: { id: string; automation: string }[];
    };
    return data.length === 2 && Object.fromEntries(data.map(({ id, automation }) => [automation, id]));
  });
});
afterAll(async () => {
  repo?.remove();
  await bucket?.stop();
  await server?.remove();
});

describe('the log of a run', () => {
  /** The log as far as a replica shows it; empty while it cannot. */
  async function readLog(daemon: DaemonProcess): Promise<string> {
    const { code, stdout } = await daemon.cli('run', 'log', runs.first!);
    return code === 0 ? stdout : '';
  }

  /** The log has each line once, in order. */
  function expectLines(log: string, count: number): void {
    const lines = log.split('\n').slice(0, -1);
    expect(lines.length).toBeGreaterThan(count);
    expect(lines.slice(1, -1)).toEqual(Array.from({ length: lines.length - 2 }, (_, index) => `line ${index}`));
  }

  it('is shown by every replica while the run writes it', { tags: 'full' }, async () => {
    for (const daemon of daemons) {
      await eventually(async () => (await readLog(daemon)).includes('line 20\n'));
      expectLines(await readLog(daemon), 20);
    }
    const { body } = await daemons[1]!.api(`/runs/${runs.first}/log/times?limit=3`);
    expect(body.data[0].offset).toBe(0);
    expect(body.data).toHaveLength(3);
  });

  it('can be followed through every replica, and is in the bucket when the run has ended', {
    tags: 'full',
  }, async () => {
    const expected = [
      ...['1', '2', '3', '4'].map((i) => `slow ${i}`),
      ...Array.from({ length: 60_000 }, (_, i) => `${i + 1}`),
    ];
    const followed = await Promise.all(daemons.map((daemon) => daemon.cli('run', 'log', runs.second!, '--follow')));
    for (const { code, stdout } of followed) {
      expect(code).toBe(0);
      expect(stdout.trimEnd().split('\n')).toEqual(expected);
    }
    const isMoved = () =>
      withClient(`${server.url}/logs`, async (client) => {
        const here = 'SELECT FROM run_log_parts WHERE run = $1 AND bytes IS NOT NULL';
        return (await client.query(here, [runs.second])).rowCount === 0;
      });
    await eventually(isMoved);
    for (const daemon of daemons) {
      const { stdout } = await daemon.cli('run', 'log', runs.second!);
      expect(stdout.trimEnd().split('\n')).toEqual(expected);
    }
  });

  it('is shown by the other replica after the one that executed the run is lost', { tags: 'full' }, async () => {
    const before = await readLog(daemons[0]!);
    const pid = Number(/^daemon (\d+)\n/.exec(before)![1]);
    const [lost] = daemons.filter((daemon) => daemon.pid === pid);
    const [other] = daemons.filter((daemon) => daemon.pid !== pid);
    lost!.end('SIGKILL');
    await lost!.exited;
    const after = await eventually(async () => {
      const log = await readLog(other!);
      return log.startsWith(before) && log;
    }, TAKE_OVER_MS);
    expectLines(after, before.split('\n').length - 2);
    expect(await other!.end('SIGTERM')).toBe(0);
  });
});
