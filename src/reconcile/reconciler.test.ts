import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../test/helpers/eventually.ts';
import { createReconcileWorld, FACTORY, type ReconcileWorld } from '../../test/helpers/reconcile-world.ts';
import { AppError } from '../domain/errors.ts';

const WEBHOOK = 'secretName: S\n';

let world: ReconcileWorld;
beforeEach(async () => {
  world = await createReconcileWorld();
  await world.put('S', 'a-secret-that-is-long-enough');
});
afterEach(() => world.close());

const settled = () => world.pass().catch(() => {});

describe('passes', () => {
  it('never overlap, and all requests during one share the next', async () => {
    world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
    const release = world.source.hold();
    const first = world.reconciler.reconcile('routine');
    await eventually(() => world.source.fetches === 1);
    const [second, third] = [world.reconciler.reconcile('routine'), world.reconciler.reconcile('asked')];
    expect(second).toBe(third);
    expect(world.source.fetches).toBe(1);
    release();
    expect([(await first).result, (await second).result]).toEqual(['applied', 'unchanged']);
    expect(world.source.fetches).toBe(2);
  });

  it('that share one are asked for if any of them was', async () => {
    world.source.commit({ 'webhooks/a.yaml': 'broken' });
    await world.pass();
    const release = world.source.hold();
    const first = world.reconciler.reconcile('routine');
    await eventually(() => world.source.fetches === 2);
    void world.reconciler.reconcile('routine');
    const shared = world.reconciler.reconcile('asked');
    release();
    await first;
    expect(world.validations).toBe(1);
    await shared;
    expect(world.validations).toBe(2);
  });

  it('are not needed for a factory to be known: it is when requests are accepted', async () => {
    await world.reconciler.open();
    expect(world.source.fetches).toBe(0);
    expect(await world.storage.inventoryReader.head(FACTORY)).toMatchObject({ name: FACTORY });
  });

  it('begin with the start, and run after every change that the source reports', async () => {
    world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
    world.reconciler.start();
    await eventually(() => world.live('a') !== undefined);
    world.source.commit({ 'webhooks/b.yaml': WEBHOOK });
    world.source.reportChange();
    await eventually(() => world.live('b') !== undefined);
  });

  it('after pushes are at most one in addition to the current one', async () => {
    world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
    const release = world.source.hold();
    for (let i = 0; i < 50; i += 1) world.reconciler.onPush();
    await eventually(() => world.source.fetches === 1);
    for (let i = 0; i < 50; i += 1) world.reconciler.onPush();
    release();
    await eventually(() => world.ended.length === 2);
    await world.pass();
    expect(world.source.fetches).toBe(3);
  });

  it('name the deliveries that reported the pushes, each in one pass, up to 32', async () => {
    world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
    const release = world.source.hold();
    world.reconciler.onPush('trace 0');
    await eventually(() => world.source.fetches === 1);
    for (let i = 1; i <= 50; i += 1) world.reconciler.onPush(`trace ${i}`);
    release();
    await eventually(() => world.timed.length === 2);
    const pushes = world.timed.map((pass) => pass.pushes);
    expect(pushes[0]).toEqual(['trace 0']);
    expect(pushes[1]).toEqual(Array.from({ length: 32 }, (_, i) => `trace ${i + 1}`));
    await world.pass();
    expect(world.timed[2]!.pushes).toEqual([]);
  });

  it('register a new factory, also if the storage fails at first', async () => {
    let failures = 1;
    world = await world.restart({
      wrapInventory: (inventory) => ({
        ...inventory,
        register: async (factory, at) => {
          if (failures-- > 0) throw new AppError('storage_unavailable', 'SQLITE_FULL: no');
          await inventory.register(factory, at);
        },
      }),
    });
    world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
    world.reconciler.start();
    await eventually(() => world.timers.isPending);
    expect(world.logged.map((line) => line.message)).toEqual(['the outcome of a reconciliation could not be recorded']);
    world.timers.fire();
    await eventually(() => world.live('a') !== undefined);
    expect(await world.storage.inventory.status(FACTORY)).not.toBeNull();
  });
});

describe('a pass that failed', () => {
  it('is retried with increasing delays, which start again after a pass that did not fail', async () => {
    for (let round = 0; round < 9; round += 1) {
      await settled();
      world.timers.fire();
    }
    await settled();
    const seconds = world.timers.delaysMs.map((delayMs) => delayMs / 1000);
    expect(seconds.slice(0, 9)).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
    world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
    await world.pass();
    expect(world.timers.isPending).toBe(false);
    world.source.fail({ reason: 'FetchTimeout', message: 'slow' });
    await world.pass();
    expect(world.timers.delaysMs.at(-1)).toBe(5_000);
  });

  it('is the only kind that is repeated', async () => {
    world.source.commit({ 'webhooks/a.yaml': 'broken' });
    await world.pass();
    world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
    await world.pass();
    await world.pass();
    expect(world.timers.delaysMs).toEqual([]);
  });
});

describe('stopping', () => {
  it('records nothing of an aborted pass, and begins none', async () => {
    world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
    await world.pass();
    const release = world.source.hold();
    const underWay = world.reconciler.reconcile();
    await eventually(() => world.source.fetches === 2);
    const waiting = world.reconciler.reconcile();
    const stopped = world.reconciler.stop();
    release();
    await expect(underWay).rejects.toMatchObject({ code: 'shutting_down' });
    await expect(waiting).rejects.toMatchObject({ code: 'shutting_down' });
    await stopped;
    world.source.reportChange();
    world.reconciler.onSecretChanged();
    expect(world.source.fetches).toBe(2);
    expect((await world.history()).map((row) => row.result)).toEqual(['applied']);
    expect(world.timers.isPending).toBe(false);
    expect(world.logged).toEqual([]);
  });

  it('records nothing if it interrupts the validation', async () => {
    const broken = new AppError('internal', 'the definition could not be validated: the daemon stops');
    world = await world.restart({
      validate: async () => {
        void world.reconciler.stop();
        throw broken;
      },
    });
    world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
    await expect(world.pass()).rejects.toMatchObject({ code: 'shutting_down' });
    expect(await world.history()).toEqual([]);
    expect(world.logged).toEqual([]);
  });
});
