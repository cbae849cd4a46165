import { beforeEach, describe, expect, it } from 'vitest';
import { applyOneOfEach, FACTORY } from '../helpers/build-apply.ts';
import { TickWorld } from '../helpers/tick-world.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const at = (time: string) => Date.parse(`2026-03-02T${time}Z`);
const START = at('09:00:30');

describe.each(STORAGES)('schedules on $name', (kind) => {
  const opened = useStorage(kind);
  let version: number;
  let world: TickWorld;

  beforeEach(async () => {
    ({ version } = await applyOneOfEach(opened.storage));
    world = begin(START);
  });

  /** A daemon that leads from now on. */
  function begin(nowMs: number): TickWorld {
    const begun = new TickWorld(opened.storage, nowMs);
    begun.loop.start();
    return begun;
  }

  const times = (of = world) => of.payloads().map(({ scheduled_at }) => scheduled_at.slice(11, 16));
  const state = async () => (await opened.storage.inventoryReader.automation(FACTORY, 'fix-errors'))!.schedules;
  const log = async () => {
    const { data } = await opened.storage.deliveryReader.list({
      factory: FACTORY,
      label: null,
      limit: 50,
      cursor: null,
    });
    return data.filter(({ event }) => event === 'cron_fired');
  };

  it('fire strictly after the apply, each tick once, with its run and its decision', async () => {
    await world.goTo(at('09:05:00'));
    await world.apply(version, [{ name: 'often', cron: '*/5 * * * *' }]);
    await world.passTo(at('09:15:10'));
    expect(times()).toEqual(['09:10', '09:15']);
    const [second, first] = await log();
    expect([first!.label, second!.label, first!.runs.length]).toEqual(['Accepted', 'Accepted', 1]);
    expect(first).toMatchObject({
      deliveryId: 'fix-errors/often/2026-03-02T09:10:00.000Z',
      webhookName: '(schedule)',
      reason: null,
      summary: 'Schedule often: */5 * * * *, UTC',
    });
    const run = await opened.storage.runReader.get(first!.runs[0]!);
    expect(run).toMatchObject({ automation: 'fix-errors', factory: FACTORY, state: 'queued' });
    const [schedule] = await state();
    expect(JSON.parse(Buffer.from((await opened.storage.deliveryReader.payload(second!.id))!).toString())).toEqual({
      provider: 'schedule',
      event: 'cron_fired',
      schedule: { id: schedule!.id, name: 'often', cron: '*/5 * * * *', timezone: 'UTC' },
      automation: 'fix-errors',
      scheduled_at: '2026-03-02T09:15:00.000Z',
      fired_at: new Date(second!.receivedAt).toISOString(),
      missed: 0,
    });
    expect(await opened.storage.deliveryReader.evaluation(first!.id)).toMatchObject({
      decisions: [{ automation: 'fix-errors', outcome: 'started', run: first!.runs[0] }],
    });
  });

  it('are shown by no list of webhooks', async () => {
    await world.apply(version, [{ cron: '* * * * *' }]);
    const reader = opened.storage.inventoryReader;
    const names = [
      ...(await reader.webhooks(FACTORY)),
      ...(await reader.webhookNames()),
      ...(await opened.storage.inventory.load(FACTORY))!.webhooks,
    ].map(({ name }) => name);
    expect(names).not.toContain('(schedule)');
  });

  it('count the ticks at which no daemon ran, and start nothing for them', async () => {
    await world.apply(version, [{ cron: '* * * * *' }]);
    await world.passTo(at('09:02:05'));
    const later = begin(at('09:10:45'));
    await later.apply(version, [{ cron: '* * * * *' }]);
    await later.passTo(at('09:11:02'));
    expect([times(), times(later)]).toEqual([['09:01', '09:02'], ['09:11']]);
    expect(await state()).toMatchObject([{ missed: 8, missedAt: at('09:10:00'), firedAt: at('09:11:00') }]);
  });

  it('start one run for the latest missed tick with catchUp: latest', async () => {
    const schedules = [{ cron: '0 * * * *', catchUp: 'latest' as const }];
    await world.apply(version, schedules);
    const later = begin(at('13:20:00'));
    await later.apply(version, schedules);
    await later.passTo(at('13:21:00'));
    expect(later.payloads()).toMatchObject([{ scheduled_at: '2026-03-02T13:00:00.000Z', missed: 4 }]);
    expect(await state()).toMatchObject([{ missed: 4, firedAt: at('13:00:00') }]);
  });

  it('fire no tick again after a restart, or if the clock is set back', async () => {
    await world.apply(version, [{ cron: '* * * * *' }]);
    await world.passTo(at('09:03:05'));
    await world.passTo(world.nowMs);
    await world.goTo(at('09:00:40'));
    await world.passTo(at('09:03:40'));
    const later = begin(at('09:01:10'));
    await later.apply(version, [{ cron: '* * * * *' }]);
    await later.passTo(at('09:04:05'));
    expect([times(), times(later)]).toEqual([['09:01', '09:02', '09:03'], ['09:04']]);
    expect(await log()).toHaveLength(4);
  });

  it('miss the ticks that a clock which is set forward skips', async () => {
    await world.apply(version, [{ cron: '* * * * *' }]);
    await world.goTo(at('10:00:45'));
    await world.passTo(at('10:01:05'));
    expect(times()).toEqual(['10:01']);
    expect(await state()).toMatchObject([{ missed: 60 }]);
  });

  it('do not move with a restart if they have an interval, and start again if it is changed', async () => {
    await world.apply(version, [{ cron: '@every 7m' }]);
    const later = begin(at('09:05:00'));
    await later.apply(version, [{ cron: '@every 7m' }]);
    await later.passTo(at('09:10:00'));
    expect(later.payloads().map(({ scheduled_at }) => scheduled_at)).toEqual(['2026-03-02T09:07:30.000Z']);
    await later.apply(version, [{ cron: '@every 2m' }]);
    await later.passTo(at('09:14:10'));
    expect(times(later)).toEqual(['09:07', '09:12', '09:14']);
  });

  it('of a disabled or paused automation are recorded with the reason, and not caught up', async () => {
    await world.apply(version, [{ cron: '* * * * *', catchUp: 'latest' }], { enabled: false });
    await world.passTo(at('09:01:05'));
    await world.apply(version, [{ cron: '* * * * *', catchUp: 'latest' }]);
    world.isPaused = true;
    await world.passTo(at('09:02:05'));
    world.isPaused = false;
    await world.passTo(at('09:03:05'));
    const found = (await log()).map(({ label, reason, runs }) => [label, reason, runs.length]).reverse();
    expect(found).toEqual([
      ['Accepted', 'disabled', 0],
      ['Accepted', 'paused', 0],
      ['Accepted', null, 1],
    ]);
  });

  it('end with their trigger, and nothing fires for the past of a new one', async () => {
    await world.apply(version, [
      { name: 'a', cron: '* * * * *' },
      { name: 'b', cron: '*/2 * * * *' },
    ]);
    await world.passTo(at('09:02:05'));
    await world.apply(version, [{ name: 'c', cron: '* * * * *' }]);
    expect((await state()).map(({ name, firedAt }) => [name, firedAt])).toEqual([['c', null]]);
    await world.passTo(at('09:03:05'));
    await world.apply(version, []);
    await world.passTo(at('09:05:05'));
    expect(times().sort()).toEqual(['09:01', '09:02', '09:02', '09:03']);
    expect(await state()).toEqual([]);
  });

  it('fire once if two daemons lead at the same time', async () => {
    const other = begin(START);
    for (const one of [world, other]) await one.apply(version, [{ cron: '* * * * *' }]);
    for (let second = 35; second < 300; second += 5) {
      const now = at('09:00:00') + second * 1000;
      await Promise.all([world.goTo(now), other.goTo(now)]);
    }
    expect([...times(), ...times(other)].sort()).toEqual(['09:01', '09:02', '09:03', '09:04']);
    expect(await log()).toHaveLength(4);
  });

  it('fire once if a schedule is removed and added again while the clock is set back', async () => {
    await world.apply(version, [{ cron: '* * * * *' }]);
    await world.passTo(at('09:01:05'));
    await world.apply(version, []);
    await world.goTo(at('09:00:40'));
    await world.apply(version, [{ cron: '* * * * *' }]);
    await world.passTo(at('09:01:20'));
    expect((await log()).map(({ label, runs }) => [label, runs.length])).toEqual([
      ['Duplicate', 0],
      ['Accepted', 1],
    ]);
  });

  it('fire a tick that was on time also if it could be stored only later', async () => {
    await world.apply(version, [{ cron: '*/10 * * * *' }]);
    world.store = { ...world.store, advance: () => Promise.reject(new Error('no connection')) };
    await world.passTo(at('09:10:05'));
    await world.passTo(at('09:12:00'));
    expect(times()).toEqual([]);
    world.store = opened.storage.schedules;
    await world.passTo(at('09:13:30'));
    expect(world.payloads()).toMatchObject([{ scheduled_at: '2026-03-02T09:10:00.000Z', missed: 0 }]);
  });

  it('keep a tick that names a version which is not stored', async () => {
    await world.apply(999, [{ cron: '* * * * *' }]);
    await world.passTo(at('09:01:10'));
    expect(await log()).toEqual([]);
    await world.apply(version, [{ cron: '* * * * *' }]);
    await world.passTo(at('09:01:20'));
    expect(times()).toEqual(['09:01']);
  });

  it('are renamed with their factory, and forgotten with it', async () => {
    await world.apply(version, [{ cron: '* * * * *' }]);
    await world.passTo(at('09:01:05'));
    await world.loop.stop();
    const names = opened.storage.factoryNames;
    await opened.storage.inventory.register('other', START);
    expect(await names.rename({ from: FACTORY, to: 'other', isHosted: false, at: START })).toEqual({ kind: 'ok' });
    const moved = await opened.storage.inventoryReader.automation('other', 'fix-errors');
    expect(moved!.schedules).toMatchObject([{ factory: 'other', firedAt: at('09:01:00') }]);
    await names.forget('other', START);
    expect(await opened.storage.inventoryReader.automation('other', 'fix-errors')).toBeNull();
  });
});
