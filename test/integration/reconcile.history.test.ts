import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { createReconcileWorld, FACTORY, type ReconcileWorld } from '../helpers/reconcile-world.ts';

const WEBHOOK = 'secretName: S\n';

let world: ReconcileWorld;
beforeEach(async () => {
  world = await createReconcileWorld();
  await world.put('S', 'a-secret-that-is-long-enough');
});
afterEach(() => world.close());

/** Records the name of each call. */
function countCalls<Port extends object>(port: Port, calls: string[]): Port {
  return new Proxy(port, {
    get: (target, name, receiver) => {
      calls.push(String(name));
      return Reflect.get(target, name, receiver);
    },
  });
}

const conditions = async () => (await world.storage.inventory.status(FACTORY))!.conditions;

it('the same invalid commit with the same outcome writes no new row, but updates the time of the last one', async () => {
  world.source.commit({ 'webhooks/a.yaml': 'broken' });
  const first = await world.pass();
  const second = await world.pass();
  expect(second).toEqual({ ...first, attemptedAt: second.attemptedAt });
  expect(second.attemptedAt).toBeGreaterThan(first.attemptedAt);
  expect(await world.history()).toEqual([second]);
  expect(await world.storage.inventory.status(FACTORY)).toMatchObject({ attemptedAt: second.attemptedAt });
});

it('the same outcome after a restart of the daemon writes no new row either', async () => {
  world.source.commit({ 'webhooks/a.yaml': 'broken' });
  const first = await world.pass();
  world = await world.restart();
  const second = await world.pass();
  expect(second).toEqual({ ...first, attemptedAt: second.attemptedAt });
  expect(await world.history()).toEqual([second]);
});

it('a poll that finds nothing new reads nothing from the storage', async () => {
  const calls: string[] = [];
  world = await world.restart({ wrapInventory: (inventory) => countCalls(inventory, calls) });
  world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
  await world.pass();
  const first = await world.pass();
  calls.length = 0;
  const second = await world.pass();
  expect([second.result, second.id]).toEqual(['unchanged', first.id]);
  expect(calls).toEqual(['renewAttempt']);
});

it('another commit or another reason with the same result is a separate row', async () => {
  const commits = ['one', 'two'].map((text) => world.source.commit({ 'webhooks/a.yaml': text }));
  for (const commit of commits) {
    world.source.moveTo(commit);
    await world.pass();
  }
  for (const reason of ['RepositoryUnreachable', 'RepositoryRefused'] as const) {
    world.source.fail({ reason, message: 'no' });
    await world.pass();
  }
  expect((await world.history()).map(({ revision, reason }) => [revision, reason])).toEqual([
    [null, 'RepositoryRefused'],
    [null, 'RepositoryUnreachable'],
    [commits[1], 'ValidationFailed'],
    [commits[0], 'ValidationFailed'],
  ]);
});

it('another outcome of the same commit is a separate row', async () => {
  world.source.commit({ 'webhooks/a.yaml': 'secretName: A\n', 'webhooks/b.yaml': 'secretName: B\n' });
  await world.pass();
  for (const name of ['A', 'B']) {
    const before = world.ended.length;
    await world.put(name, 'a-secret-that-is-long-enough');
    await eventually(() => world.ended.length > before);
  }
  const outcomes = (await world.history()).map(({ result, diagnostics }) => [result, diagnostics.length]);
  expect(outcomes).toEqual([
    ['applied', 0],
    ['failed', 1],
    ['failed', 2],
  ]);
});

it('a routine pass does not validate an invalid commit again; a requested pass does', async () => {
  world.source.commit({ 'webhooks/a.yaml': 'broken' });
  const first = await world.reconciler.reconcile('routine');
  expect(world.validations).toBe(1);
  const routine = await world.reconciler.reconcile('routine');
  expect([world.validations, routine.id, routine.diagnostics]).toEqual([1, first.id, first.diagnostics]);
  expect(routine.attemptedAt).toBeGreaterThan(first.attemptedAt);
  await world.reconciler.reconcile('asked');
  expect(world.validations).toBe(2);
});

it('a routine pass examines another commit, even after a git failure in between', async () => {
  const bad = world.source.commit({ 'webhooks/a.yaml': 'broken' });
  await world.reconciler.reconcile('routine');
  world.source.fail({ reason: 'RepositoryUnreachable', message: 'gone' });
  await world.reconciler.reconcile('routine');
  world.source.moveTo(bad);
  expect(await world.reconciler.reconcile('routine')).toMatchObject({ result: 'invalid', revision: bad });
  world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
  expect(await world.reconciler.reconcile('routine')).toMatchObject({ result: 'applied' });
});

it('conditions keep the time of their last change, even after a restart', async () => {
  world.source.commit({ 'webhooks/a.yaml': 'broken' });
  await world.pass();
  const before = await conditions();
  await world.pass();
  world = await world.restart();
  await world.pass();
  expect((await conditions()).map(({ type, since }) => [type, since])).toEqual(
    before.map(({ type, since }) => [type, since]),
  );
  world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
  const { finishedAt } = await world.pass();
  expect((await conditions()).map(({ type, since }) => [type, since])).toEqual([
    ['Ready', finishedAt],
    ['Reconciled', finishedAt],
  ]);
});

it('a factory without an executor reports that its runs wait, until it gets one', async () => {
  world = await world.restart({ hasExecutor: false });
  world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
  await world.pass();
  expect((await conditions()).map(({ type, status }) => [type, status])).toEqual([
    ['Ready', 'True'],
    ['Reconciled', 'True'],
    ['NoExecutor', 'True'],
  ]);
  world = await world.restart({ hasExecutor: true });
  await world.pass();
  expect((await conditions()).map(({ type }) => type)).toEqual(['Ready', 'Reconciled']);
});

it('keeps who made each revision, also for later passes about the same revision', async () => {
  const revision = world.source.commit({ 'webhooks/a.yaml': WEBHOOK });
  const commit = { subject: `Change ${revision}`, author: 'Ann', committedAt: 1000, url: null };
  expect(await world.pass()).toMatchObject({ result: 'applied', commit });
  expect(await world.reconciler.reconcile('routine')).toMatchObject({ result: 'unchanged', commit });
  world.source.commit({ 'webhooks/a.yaml': 'broken' });
  const invalid = await world.pass();
  expect(invalid).toMatchObject({ result: 'invalid', commit: { subject: `Change ${invalid.revision}` } });
  world.source.fail({ reason: 'RepositoryUnreachable', message: 'gone' });
  expect(await world.pass()).toMatchObject({ revision: null, commit: null });
  expect((await world.history()).map((each) => each.commit?.subject)).toEqual([
    undefined,
    `Change ${invalid.revision}`,
    `Change ${revision}`,
    `Change ${revision}`,
  ]);
  const { inventoryReader } = world.storage;
  expect((await inventoryReader.factories())[0]?.appliedCommit).toEqual(commit);
});
