import { afterEach, describe, expect, it } from 'vitest';
import { applyCiFactory, configureCiFactory } from '../helpers/ci-factory.ts';
import { useCiOnPostgres } from '../helpers/ci-on-postgres.ts';
import { eventually } from '../helpers/eventually.ts';
import { TestReplicas } from '../helpers/replicas.ts';
import { createSettableClock, maySetClock } from '../helpers/set-clock.ts';
import type { TestDaemon } from '../helpers/test-daemon.ts';

const DEFINITION = `---
triggers:
  - provider: schedule
    event: cron_fired
    schedule: { name: hourly, cron: "0 * * * *", catchUp: latest }
---
Look for new errors.
`;

describe.skipIf(!maySetClock)('two daemons with a schedule on one database', () => {
  const ci = useCiOnPostgres();
  const daemons: TestDaemon[] = [];
  afterEach(async () => {
    for (const daemon of daemons.splice(0)) await daemon.end('SIGKILL');
  });

  it('start one run for each tick, also when another one takes the lead', {
    tags: 'long',
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
