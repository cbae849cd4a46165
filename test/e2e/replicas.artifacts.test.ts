import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyCiFactory, CI_TOKEN, configureCiFactory, createCiRepository } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { TestReplicas } from '../helpers/replicas.ts';
import { startPostgres, type TestPostgres } from '../helpers/start-postgres.ts';
import type { TempGitRepo } from '../helpers/temp-git-repo.ts';
import type { DaemonProcess } from '../helpers/test-daemon.ts';

const TAKE_OVER_MS = 60_000;

/** Keeps a file with the number of the daemon that executes it. */
const COMMAND = `echo "$PPID" > daemon.txt
echo '{"artifacts":[{"name":"Daemon","path":"daemon.txt"}]}' > result.json`;

let server: TestPostgres;
let repo: TempGitRepo;
/** The leader and a follower. */
let daemons: DaemonProcess[];
/** A run that each of them executed, by its process. */
const runs = new Map<number, string>();

async function download(
  daemon: DaemonProcess,
  run: string,
): Promise<{ status: number; text: string; headers: Headers }> {
  const token = readFileSync(join(daemon.dataDir, 'admin-token'), 'utf8').trim();
  const answer = await fetch(`${daemon.adminUrl}/api/v1/runs/${run}/artifacts/1`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

/** The runs of all deliveries. */
async function listRuns(daemon: DaemonProcess): Promise<{ id: string; state: string }[]> {
  return ((await daemon.api('/factories/payments/runs')).body as { data: { id: string; state: string }[] }).data;
}

beforeAll(async () => {
  [server, repo] = await Promise.all([startPostgres(), createCiRepository()]);
  const config = configureCiFactory(repo, ['/bin/sh', '-c', COMMAND]);
  const replicas = new TestReplicas(await server.createDatabase('artifacts'), { config });
  const leader = await replicas.start();
  const uid = await applyCiFactory(leader);
  daemons = [leader, await replicas.start()];
  for (const [n, executing] of daemons.entries()) {
    const other = daemons[1 - n]!;
    expect((await other.api('/drain', { method: 'POST' })).status).toBe(200);
    const earlier = (await listRuns(leader)).map(({ id }) => id);
    const answer = await fetch(`${leader.ingressUrl}/webhooks/w/${uid}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${CI_TOKEN}` },
      body: JSON.stringify({ start: true, n }),
    });
    expect(answer.status).toBe(202);
    const started = await eventually(async () => {
      const all = await listRuns(leader);
      return all.every(({ state }) => state === 'succeeded') && all.find(({ id }) => !earlier.includes(id));
    }, TAKE_OVER_MS);
    runs.set(executing.pid, started.id);
    expect((await other.api('/drain', { method: 'DELETE' })).status).toBe(200);
  }
}, 2 * TAKE_OVER_MS);
afterAll(async () => {
  repo?.remove();
  await server?.remove();
});

describe('artifacts of a run', () => {
  it('are listed and downloaded through every replica, also those of the others', { tags: 'full' }, async () => {
    expect([...runs.keys()].sort()).toEqual(daemons.map(({ pid }) => pid).sort());
    for (const daemon of daemons) {
      for (const [pid, run] of runs) {
        const { body } = await daemon.api(`/runs/${run}/artifacts`);
        expect(body.data).toEqual([{ number: 1, name: 'Daemon', path: 'daemon.txt', size: `${pid}\n`.length }]);
        const { status, text, headers } = await download(daemon, run);
        expect([status, text]).toEqual([200, `${pid}\n`]);
        expect(headers.get('content-disposition')).toBe('attachment; filename="daemon.txt"');
      }
    }
  });

  it('have one audit entry per reader, object and day across all replicas', { tags: 'full' }, async () => {
    const objects: string[] = await eventually(async () => {
      const { body } = await daemons[0]!.api('/audit?include=reads');
      return body.data.length >= runs.size ? body.data.map(({ object }: { object: string }) => object) : undefined;
    });
    expect(objects.sort()).toEqual(Array.from(runs.values(), (run) => `runs/${run}/artifacts/1`).sort());
    for (const daemon of daemons) expect(daemon.output()).not.toContain('read not audited');
  });

  it('need a credential, also with the header of a forwarded request', { tags: 'full' }, async () => {
    for (const { adminUrl } of daemons) {
      for (const reason of ['leader', 'files']) {
        const headers = { 'x-dockbell-forwarded': reason };
        const answer = await fetch(`${adminUrl}/api/v1/runs/${runs.get(daemons[1]!.pid)}/artifacts/1`, { headers });
        expect([401, 503]).toContain(answer.status);
      }
    }
  });

  it('are not stored, as long as the replica that has them does not run', { tags: 'full' }, async () => {
    const [leader, follower] = daemons as [DaemonProcess, DaemonProcess];
    await follower.end('SIGTERM');
    const run = runs.get(follower.pid)!;
    const { body } = await leader.api(`/runs/${run}/artifacts`);
    expect(body.data).toMatchObject([{ size: null }]);
    expect((await download(leader, run)).status).toBe(404);
    expect((await download(leader, runs.get(leader.pid)!)).status).toBe(200);
  });
});
