import { beforeAll, describe, expect, it } from 'vitest';
import { applyCiFactory, CI_TOKEN, configureCiFactory, declareCiFactory } from '../helpers/ci-factory.ts';
import { useCiOnPostgres } from '../helpers/ci-on-postgres.ts';
import { eventually } from '../helpers/eventually.ts';
import { TestReplicas } from '../helpers/replicas.ts';
import type { DaemonProcess } from '../helpers/test-daemon.ts';

/** A lost leader is replaced after 15 seconds without a sign of life. */
const TAKE_OVER_MS = 40_000;

const ci = useCiOnPostgres();

describe('two daemons on one database', () => {
  let replicas: TestReplicas;
  let leader: DaemonProcess;
  let follower: DaemonProcess;
  let uid: string;
  beforeAll(async () => {
    const config = configureCiFactory(ci.repo, ['/bin/true']);
    replicas = new TestReplicas(await ci.server.createDatabase('pair'), { config });
    leader = await replicas.start();
    uid = await applyCiFactory(leader);
    follower = await replicas.start();
  });

  const send = (daemon: DaemonProcess, body: object) =>
    fetch(`${daemon.ingressUrl}/webhooks/w/${uid}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${CI_TOKEN}` },
      body: JSON.stringify(body),
    });
  const listRuns = async (daemon: DaemonProcess) => (await daemon.api('/factories/payments/runs')).body.data;

  it('both accept deliveries, and a delivery that both receive starts its runs once', async () => {
    expect((await send(follower, { start: true, n: 1 })).status).toBe(202);
    expect((await send(leader, { start: true, n: 1 })).status).toBe(202);
    await eventually(async () => {
      const states = (await listRuns(leader)).map(({ state }: { state: string }) => state);
      return states.join() === 'succeeded,succeeded';
    });
    const { body } = await leader.api('/factories/payments/deliveries');
    expect(body.data.map(({ label }: { label: string }) => label)).toEqual(['Duplicate', 'Accepted']);
  });

  it('the management API of a follower is that of the leader', async () => {
    expect(await listRuns(follower)).toEqual(await listRuns(leader));
    const reconciled = await follower.api('/factories/payments/reconciliations?wait=true', { method: 'POST' });
    expect(reconciled.status).toBe(200);
    const denied = await follower.api('/factories/payments/runs', { token: 'dbk_wrong' });
    expect(denied.status).toBe(401);
    const listed = await follower.cli('run', 'list', '--factory', 'payments');
    expect(listed.code, listed.stderr).toBe(0);
    expect(listed.stdout).toMatch(/succeeded/);
    const { stdout } = await follower.cli('status');
    expect(stdout).toMatch(
      /Replicas\n {2}replica-1: +leader, serves everything.*\n {2}replica-2: +follower, serves everything/,
    );
    expect(follower.output()).not.toContain('already sent');
  });

  it('the metrics of both show who leads, and that no change is missing', { tags: 'full' }, async () => {
    const read = async (daemon: DaemonProcess) => {
      const text = (await daemon.api('/../../metrics')).body as string;
      const names = /^(dockbell_(?:leader|replicas|live_changes_behind).*) (\S+)$/gm;
      return Object.fromEntries([...text.matchAll(names)].map(([, name, value]) => [name, Number(value)]));
    };
    const group = { 'dockbell_replicas{role="leader"}': 1, 'dockbell_replicas{role="follower"}': 1 };
    for (const [daemon, leads] of [
      [leader, 1],
      [follower, 0],
    ] as const) {
      const expected = { dockbell_leader: leads, dockbell_live_changes_behind: 0, ...group };
      await expect.poll(() => read(daemon), { timeout: 30_000 }).toEqual(expected);
    }
  });

  it('what the leader applies is live on both', async () => {
    await ci.repo.commit({ ...declareCiFactory('the second commit'), 'webhooks/more.yaml': 'secretName: CI_SECRET\n' });
    await leader.api('/factories/payments/reconciliations?wait=true', { method: 'POST' });
    const { body } = await leader.api('/factories/payments/webhooks');
    const more = body.data.find(({ name }: { name: string }) => name === 'more');
    const url = `${follower.ingressUrl}/webhooks/w/${more.uid}`;
    const isLive = async () =>
      (await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${CI_TOKEN}` }, body: '{}' })).status ===
      202;
    await eventually(isLive, 5000);
  });

  it('a follower takes the lead when the leader is lost, and starts the runs that it accepts', {
    tags: ['full', 'continues'],
  }, async () => {
    leader.end('SIGKILL');
    await leader.exited;
    expect((await send(follower, { start: true, n: 2 })).status).toBe(202);
    await eventually(async () => follower.output().includes('this replica leads'), TAKE_OVER_MS);
    const states = async () => (await listRuns(follower)).map(({ state }: { state: string }) => state);
    await eventually(async () => (await states()).join() === 'succeeded,succeeded,succeeded,succeeded', 20_000);
    const again = await replicas.start(leader.dataDir);
    expect(await listRuns(again)).toEqual(await listRuns(follower));
    expect(await again.end('SIGTERM')).toBe(0);
    expect(await follower.end('SIGTERM')).toBe(0);
  });
});
