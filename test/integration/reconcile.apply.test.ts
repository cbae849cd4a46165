import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { Inventory } from '../../src/domain/ports/inventory.ts';
import { createReconcileWorld, FACTORY, type ReconcileWorld, type WorldOptions } from '../helpers/reconcile-world.ts';

const SECRET = 'a-secret-that-is-long-enough';

let world: ReconcileWorld;
afterEach(() => world.close());

async function begin(options: WorldOptions = {}): Promise<void> {
  world = await createReconcileWorld(options);
  await world.put('S', SECRET);
}

const WEBHOOK = 'secretName: S\n';
const AUTOMATION = `---
triggers:
  - provider: webhook
    event: received
    filter: { webhooks: [ci] }
---
Look at it.
`;

describe('an apply', () => {
  it('makes a whole definition live, with its rows, revision, history and conditions', async () => {
    await begin();
    const revision = world.source.commit({
      'webhooks/ci.yaml': WEBHOOK,
      'webhooks/off.yaml': 'secretName: S\nenabled: false\n',
      'automations/look/automation.md': AUTOMATION,
    });
    const reconciliation = await world.pass();
    expect(reconciliation).toMatchObject({ result: 'applied', reason: 'Applied', revision, diagnostics: [] });
    expect(reconciliation.plan.webhooks.create.map((entry) => entry.name)).toEqual(['ci', 'off']);
    expect(reconciliation.plan.automations.create.map((entry) => entry.name)).toEqual(['look']);
    expect(world.timed).toMatchObject([{ id: reconciliation.id, factory: FACTORY, result: 'applied', revision }]);
    expect(world.timed[0]!.steps.map(({ name }) => name)).toEqual(['fetch', 'validate', 'plan', 'apply']);
    expect(world.accepts('ci', SECRET)).toBe(true);
    expect(world.live('off')).toBeUndefined();
    expect(world.live('ci')).toMatchObject({ revision, listeners: { apply: { number: 1, revision } } });
    expect(world.live('ci')!.listeners.has('look')).toBe(true);
    const status = await world.storage.inventory.status(FACTORY);
    expect(status).toMatchObject({ appliedRevision: revision, attemptedRevision: revision, appliedSource: 'main .' });
    expect(status?.conditions.map(({ type, status, reason }) => [type, status, reason])).toEqual([
      ['Ready', 'True', 'DefinitionLive'],
      ['Reconciled', 'True', 'Applied'],
    ]);
    expect(await world.history()).toEqual([reconciliation]);
  });

  it('of the live commit changes nothing and is unchanged', async () => {
    await begin();
    world.source.commit({ 'webhooks/ci.yaml': WEBHOOK });
    await world.pass();
    const before = world.registry.current();
    expect(await world.pass()).toMatchObject({ result: 'unchanged' });
    expect(world.registry.current()).toBe(before);
    const { conditions } = (await world.storage.inventory.status(FACTORY))!;
    expect(conditions.find((condition) => condition.type === 'Reconciled')).toMatchObject({ status: 'True' });
  });

  it('examines the same commit again if the configuration names another folder or branch', async () => {
    await begin();
    const revision = world.source.commit({ 'webhooks/ci.yaml': WEBHOOK });
    await world.pass();
    world = await world.restart({ sourceKey: 'main sub/folder' });
    expect(await world.pass()).toMatchObject({ result: 'applied', revision });
    expect(await world.storage.inventory.status(FACTORY)).toMatchObject({ appliedSource: 'main sub/folder' });
    expect(await world.pass()).toMatchObject({ result: 'unchanged' });
  });

  it('that fails in the storage changes neither registry nor storage, and is retried', async () => {
    let isFull = true;
    const wrapInventory = (inventory: Inventory): Inventory => ({
      ...inventory,
      apply: async (change) => {
        if (isFull) throw new AppError('storage_unavailable', 'SQLITE_FULL: database or disk is full');
        return inventory.apply(change);
      },
    });
    await begin({ wrapInventory });
    const revision = world.source.commit({ 'webhooks/ci.yaml': WEBHOOK });
    expect(await world.pass()).toMatchObject({
      result: 'failed',
      reason: 'StorageFailed',
      revision,
      message: 'SQLITE_FULL: database or disk is full',
    });
    expect(world.registry.current().webhooks.size).toBe(0);
    expect(await world.storage.inventory.load(FACTORY)).toMatchObject({
      revision: null,
      webhooks: [],
      automations: [],
    });
    expect(world.timers.isPending).toBe(true);
    isFull = false;
    world.timers.fire();
    expect(await world.pass()).toMatchObject({ result: 'applied', revision });
    expect(world.accepts('ci', SECRET)).toBe(true);
  });

  it('that was interrupted between the commit and the swap is completed by the next start', async () => {
    const killed = new Error('killed');
    await begin({
      wrapServing: (serving) => ({
        ...serving,
        apply: async (change) => {
          await world.storage.inventory.apply(change);
          throw killed;
        },
      }),
    });
    const revision = world.source.commit({ 'webhooks/ci.yaml': WEBHOOK });
    await world.pass();
    expect(world.live('ci')).toBeUndefined();
    world.source.fail({ reason: 'RepositoryUnreachable', message: 'gone' });
    world = await world.restart();
    expect(world.accepts('ci', SECRET)).toBe(true);
    expect(world.live('ci')?.revision).toBe(revision);
  });
});

describe('an invalid definition', () => {
  it('applies none of it, keeps the last valid one and reports the position of the error', async () => {
    await begin();
    const good = world.source.commit({ 'webhooks/ci.yaml': WEBHOOK });
    await world.pass();
    const before = world.registry.current();
    const bad = world.source.commit({ 'webhooks/ci.yaml': 'secretNam: S\n', 'webhooks/new.yaml': WEBHOOK });
    const reconciliation = await world.pass();
    expect(reconciliation).toMatchObject({ result: 'invalid', reason: 'ValidationFailed', revision: bad });
    expect(reconciliation.message).toMatch(/^webhooks\/ci\.yaml:1:1: /);
    expect(reconciliation.diagnostics.length).toBeGreaterThan(0);
    expect(world.registry.current()).toBe(before);
    expect((await world.storage.inventory.load(FACTORY))?.webhooks.map((webhook) => webhook.name)).toEqual(['ci']);
    const status = await world.storage.inventory.status(FACTORY);
    expect(status).toMatchObject({ appliedRevision: good, attemptedRevision: bad });
    expect(status?.conditions).toEqual([
      expect.objectContaining({ type: 'Ready', status: 'True', message: `serving ${good}` }),
      expect.objectContaining({ type: 'Reconciled', status: 'False', reason: 'ValidationFailed' }),
    ]);
  });

  it('waits for a new commit instead of a retry', async () => {
    await begin();
    world.source.commit({ 'webhooks/ci.yaml': 'nonsense' });
    await world.pass();
    expect(world.timers.isPending).toBe(false);
    world.source.commit({ 'webhooks/ci.yaml': WEBHOOK });
    expect(await world.pass()).toMatchObject({ result: 'applied' });
  });

  it('deletes nothing if no factory is found', async () => {
    await begin();
    world.source.commit({ 'webhooks/ci.yaml': WEBHOOK });
    await world.pass();
    world.source.commit({ 'README.md': 'moved elsewhere' });
    expect(await world.pass()).toMatchObject({ result: 'invalid', reason: 'NoFactoryFound' });
    expect(world.accepts('ci', SECRET)).toBe(true);
  });

  it('is also a tree that is too large or unsupported; a problem of git is failed', async () => {
    await begin();
    world.source.commit({ 'webhooks/ci.yaml': WEBHOOK });
    for (const reason of ['TreeTooLarge', 'TreeOdd'] as const) {
      world.source.failTree({ reason, message: 'no' });
      expect(await world.pass()).toMatchObject({ result: 'invalid', reason });
    }
    world.source.failTree({ reason: 'RepositoryUnreachable', message: 'no' });
    expect(await world.pass()).toMatchObject({ result: 'failed', reason: 'RepositoryUnreachable' });
    world.source.failTree(null);
    expect(await world.pass()).toMatchObject({ result: 'applied' });
  });
});

describe('a pass with an unexpected error', () => {
  it('in the validation is recorded as failed, shows the reason only in the log, and is retried', async () => {
    let isBroken = true;
    const { validateTree } = await import('../../src/definitions/validate-tree.ts');
    await begin({
      validate: async (tree, context) => {
        if (isBroken) throw new TypeError('cannot read a-private-detail');
        return validateTree(tree, context);
      },
    });
    const revision = world.source.commit({ 'webhooks/ci.yaml': WEBHOOK });
    const reconciliation = await world.pass();
    expect(reconciliation).toMatchObject({ result: 'failed', reason: 'InternalError', revision });
    expect(JSON.stringify([reconciliation, await world.storage.inventory.status(FACTORY)])).not.toContain('private');
    expect(world.logged).toEqual([
      { fields: expect.objectContaining({ revision }), message: 'reconciliation failed with an internal error' },
    ]);
    isBroken = false;
    expect(world.timers.isPending).toBe(true);
    world.timers.fire();
    expect((await world.pass()).result).toBe('applied');
    expect(world.accepts('ci', SECRET)).toBe(true);
  });

  it('with an AppError shows its message', async () => {
    await begin({
      validate: async () => {
        throw new AppError('internal', 'the definition could not be validated: it took longer than 60 s');
      },
    });
    world.source.commit({ 'webhooks/ci.yaml': WEBHOOK });
    expect(await world.pass()).toMatchObject({
      result: 'failed',
      reason: 'InternalError',
      message: 'the definition could not be validated: it took longer than 60 s',
    });
  });

  it('in the source is recorded as failed without a revision', async () => {
    await begin();
    world.source.commit({ 'webhooks/ci.yaml': WEBHOOK });
    world.source.throwOnFetch = new Error('a bug');
    expect(await world.pass()).toMatchObject({ result: 'failed', reason: 'InternalError', revision: null });
    expect(world.timers.isPending).toBe(true);
  });

  it('rejects if it cannot be recorded, and is retried', async () => {
    const fail = async () => {
      throw new AppError('storage_unavailable', 'SQLITE_FULL: no');
    };
    await begin({ wrapInventory: (inventory) => ({ ...inventory, apply: fail, recordAttempt: fail }) });
    world.source.commit({ 'webhooks/ci.yaml': WEBHOOK });
    await expect(world.pass()).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(world.timers.isPending).toBe(true);
  });
});
