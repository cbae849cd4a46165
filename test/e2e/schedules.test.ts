import { afterEach, describe, expect, it, vi } from 'vitest';
import { applyCiFactory, configureCiFactory, createCiRepository } from '../helpers/ci-factory.ts';
import { useCiOnPostgres } from '../helpers/ci-on-postgres.ts';
import { eventually } from '../helpers/eventually.ts';
import { TestReplicas } from '../helpers/replicas.ts';
import { createSettableClock, maySetClock } from '../helpers/set-clock.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

vi.setConfig({ testTimeout: 240_000 });

const DEFINITION = `---
triggers:
  - provider: schedule
    event: cron_fired
    schedule: { name: hourly, cron: "0 * * * *", catchUp: latest }
---
Look for new errors.
`;

describe.skipIf(!maySetClock)('a daemon with a schedule', () => {
  let daemon: TestDaemon | null = null;
  const cleanups: (() => void)[] = [];
  afterEach(async () => {
    await daemon?.end('SIGKILL');
    for (const cleanup of cleanups.splice(0)) cleanup();
  });

  /** A daemon whose clock starts at this time, and the function that sets it. */
  async function start(at: string) {
    const repo = await createCiRepository();
    cleanups.push(() => repo.remove());
    await repo.commit({ 'automations/look/automation.md': DEFINITION }, 'Look for errors each hour');
    const clock = createSettableClock(at);
    const launch = (dir?: string) =>
      startTestDaemon({
        config: configureCiFactory(repo, ['/bin/true']),
        ...(dir === undefined ? {} : { dataDir: dir }),
        env: clock.env,
      });
    daemon = await launch();
    await applyCiFactory(daemon);
    return { repo, setClock: clock.set, launch };
  }

  /** The trigger, once the daemon has stored its schedule. */
  const stored = () =>
    eventually(async () => {
      const { body } = await daemon!.api('/factories/payments/automations/look');
      return body.triggers?.[0]?.ticks?.id ? body.triggers[0] : null;
    });
  const listTicks = async () => {
    const { body } = await daemon!.api('/factories/payments/deliveries?event=cron_fired&limit=50');
    return (body.data as { id: string; delivery_id: string; runs: string[] }[]).reverse();
  };
  const ticks = async () => (await listTicks()).map(({ delivery_id }) => delivery_id.slice(-24, -8));

  it('starts a run at each time, and says when the next ones are', async () => {
    const { repo, setClock } = await start('2026-03-02T09:50:00');
    const shown = await stored();
    expect(shown).toMatchObject({
      schedule: { name: 'hourly', cron: '0 * * * *', catchUp: 'latest' },
      ticks: { missed: 0, last_at: null },
    });
    expect(shown.ticks.next_at.slice(0, 2)).toEqual(['2026-03-02T10:00:00.000Z', '2026-03-02T11:00:00.000Z']);
    setClock('2026-03-02T09:59:56');
    // The daemon looks at its clock every 15 seconds, and when a schedule is applied.
    await repo.commit({ 'automations/look/automation.md': `${DEFINITION}List them.\n` });
    expect((await daemon!.cli('reconcile', '--wait')).code).toBe(0);
    expect(await eventually(async () => (await ticks()).length === 1, 60_000)).toBe(true);
    expect(await ticks()).toEqual(['2026-03-02T10:00']);
    const [tick] = await listTicks();
    const run = await daemon!.cli('run', 'show', tick!.runs[0]!, '--payload');
    expect(JSON.parse(run.stdout)).toMatchObject({ provider: 'schedule', automation: 'look', missed: 0 });
    const show = await daemon!.cli('delivery', 'show', tick!.id);
    expect(show.stdout).not.toMatch(/Webhook|Client address|Identified by/);
    expect((await daemon!.cli('replay', 'start', tick!.id, '--yes')).code).toBe(0);
    const replayed = await eventually(async () => (await listTicks())[1], 60_000);
    expect(replayed).toMatchObject({ replay_of: tick!.id, runs: [expect.stringMatching(/^run_/)] });
    const { stdout } = await daemon!.cli('why', 'automation:look');
    expect(stdout).toContain('Its schedule hourly: 0 * * * *, UTC last fired at 2026-03-02T10:00:00.000Z');
  });

  it('catches up once after a restart, and fires nothing again after its clock was set back', {
    tags: 'full',
  }, async () => {
    const { setClock, launch } = await start('2026-03-02T09:50:00');
    await stored();
    setClock('2026-03-02T09:59:58');
    expect(await eventually(async () => (await ticks()).length === 1, 60_000)).toBe(true);
    const { dataDir } = daemon!;
    await daemon!.end('SIGKILL');
    setClock('2026-03-02T13:30:00');
    daemon = await launch(dataDir);
    expect(await eventually(async () => (await ticks()).length === 2, 60_000)).toBe(true);
    setClock('2026-03-02T12:59:58');
    setClock('2026-03-02T13:59:58');
    expect(await eventually(async () => (await ticks()).length === 3, 60_000)).toBe(true);
    expect(await ticks()).toEqual(['2026-03-02T10:00', '2026-03-02T13:00', '2026-03-02T14:00']);
    const { stdout } = await daemon.cli('automation', 'show', 'look');
    expect(stdout).toContain('3 times missed, the last at 2026-03-02T13:00:00.000Z');
  });
});

describe.skipIf(!maySetClock)('two daemons with a schedule on one database', () => {
  const ci = useCiOnPostgres();
  const daemons: TestDaemon[] = [];
  afterEach(async () => {
    for (const daemon of daemons.splice(0)) await daemon.end('SIGKILL');
  });

  it('start one run for each tick, also when another one takes the lead', {
    tags: 'full',
    timeout: 240_000,
  }, async () => {
    const clock = createSettableClock('2026-03-02T09:50:00');
    await ci.repo.commit({ 'automations/look/automation.md': DEFINITION }, 'Look for errors each hour');
    const url = await ci.server.createDatabase('schedules');
    const replicas = new TestReplicas(url, { config: configureCiFactory(ci.repo, ['/bin/true']), env: clock.env });
    const start = async (dataDir?: string) => {
      const daemon = await replicas.start(dataDir);
      daemons.push(daemon);
      return daemon;
    };
    const leader = await start();
    await applyCiFactory(leader);
    const follower = await start();
    const listTicks = async (daemon: TestDaemon) => {
      const { body } = await daemon.api('/factories/payments/deliveries?event=cron_fired&limit=50');
      return ((body.data ?? []) as { delivery_id: string; runs: string[] }[]).reverse();
    };
    const untilTicks = async (daemon: TestDaemon, count: number) => {
      const isReached = async () => {
        const ticks = await listTicks(daemon);
        return ticks.length >= count && ticks.every(({ runs }) => runs.length === 1);
      };
      await eventually(isReached, 60_000);
    };
    await eventually(async () => {
      const { body } = await follower.api('/factories/payments/automations/look');
      return body.triggers?.[0]?.ticks?.id;
    }, 60_000);

    clock.set('2026-03-02T09:59:58');
    await untilTicks(follower, 1);
    await leader.end('SIGKILL');
    clock.set('2026-03-02T10:59:58');
    await untilTicks(follower, 2);
    const again = await start(leader.dataDir);
    clock.set('2026-03-02T11:59:58');
    await untilTicks(again, 3);

    // The follower stops before the tick at 13:00, and the other one catches up.
    await follower.end('SIGTERM');
    clock.set('2026-03-02T13:30:00');
    await untilTicks(again, 4);
    const ticks = await listTicks(again);
    const hours = ['10:00', '11:00', '12:00', '13:00'];
    expect(ticks.map(({ delivery_id }) => delivery_id.slice(-24, -8))).toEqual(hours.map((at) => `2026-03-02T${at}`));
    const { body } = await again.api('/factories/payments/runs?automation=look&limit=50');
    expect(body.data).toHaveLength(hours.length);
  });
});
