import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyCiFactory, CI_TOKEN, configureCiFactory, createCiRepository } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { TestReplicas } from '../helpers/replicas.ts';
import { startPostgres, type TestPostgres } from '../helpers/start-postgres.ts';
import type { TempGitRepo } from '../helpers/temp-git-repo.ts';
import type { TestDaemon } from '../helpers/test-daemon.ts';

/** A lost leader is replaced after 15 seconds without a sign of life. */
const TAKE_OVER_MS = 60_000;

/** Names the daemon that executes it, then writes until the daemon is lost. */
const ENDLESS = ['/bin/sh', '-c', 'echo "daemon $PPID"; i=0; while echo "line $i"; do i=$((i + 1)); sleep 0.1; done'];

let server: TestPostgres;
let repo: TempGitRepo;
let daemons: TestDaemon[];
let run: string;
beforeAll(async () => {
  [server, repo] = await Promise.all([startPostgres(), createCiRepository()]);
  const replicas = new TestReplicas(await server.createDatabase('logs'), { config: configureCiFactory(repo, ENDLESS) });
  const first = await replicas.start();
  const uid = await applyCiFactory(first);
  daemons = [first, await replicas.start()];
  const sent = await fetch(`${first.ingressUrl}/webhooks/w/${uid}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${CI_TOKEN}` },
    body: '{"start":true}',
  });
  expect(sent.status).toBe(202);
  run = await eventually(async () => (await first.api('/factories/payments/runs')).body.data[0]?.id as string);
});
afterAll(async () => {
  repo?.remove();
  await server?.remove();
});

describe('the log of a run', () => {
  /** The log as far as a replica shows it; empty while it cannot. */
  async function readLog(daemon: TestDaemon): Promise<string> {
    const { code, stdout } = await daemon.cli('run', 'log', run);
    return code === 0 ? stdout : '';
  }

  /** The log has each line once, in order. */
  function expectLines(log: string, count: number): void {
    const lines = log.split('\n').slice(0, -1);
    expect(lines.length).toBeGreaterThan(count);
    expect(lines.slice(1, -1)).toEqual(Array.from({ length: lines.length - 2 }, (_, index) => `line ${index}`));
  }

  it('is shown by every replica while the run writes it', async () => {
    for (const daemon of daemons) {
      await eventually(async () => (await readLog(daemon)).includes('line 20\n'));
      expectLines(await readLog(daemon), 20);
    }
    const { body } = await daemons[1]!.api(`/runs/${run}/log/times?limit=3`);
    expect(body.data[0].offset).toBe(0);
    expect(body.data).toHaveLength(3);
  });

  it('is shown by the other replica after the one that executed the run is lost', { tags: 'long' }, async () => {
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
