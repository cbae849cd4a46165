import { describe, expect, it } from 'vitest';
import { EMPTY_PLAN, type Plan, type PlanEntry } from '../../src/domain/applies/plan.ts';
import { MAX_EXAMINED_APPLIES, MAX_EXAMINED_PLAN_BYTES } from '../../src/domain/ports/definitions.ts';
import { applyFactory, buildAutomation, buildReconciliation, buildWebhook, FACTORY } from '../helpers/build-apply.ts';
import { START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

describe.each(STORAGES)('the history of definitions on $name', (kind) => {
  const opened = useStorage(kind);
  const history = () => opened.storage.definitionHistory;

  const entry = (name: string, changes: PlanEntry['changes'] = []): PlanEntry => ({
    name,
    uid: null,
    restored: false,
    changes,
  });
  const update = (name: string, to: string): Plan => ({
    ...EMPTY_PLAN,
    automations: { create: [], update: [entry(name, [{ key: 'prompt', from: 'before', to }])], delete: [] },
  });
  let passes = 0;
  const reconcile = async (revision: string, plan: Plan) => {
    passes += 1;
    const reconciliation = buildReconciliation({ revision, plan, finishedAt: START_MS + passes, factory: FACTORY });
    await opened.storage.inventory.recordAttempt(reconciliation, []);
    return reconciliation.id;
  };
  const changesOf = (name: string, revision: string | null = null, limit = 10) =>
    history().changes({ kind: 'automation', factory: FACTORY, name, revision, limit });

  it('finds the changes of one automation, newest first', async () => {
    await opened.storage.inventory.register(FACTORY, START_MS);
    const first = await reconcile('aa01', update('pr', 'one'));
    await reconcile('aa02', update('other', 'two'));
    const last = await reconcile('aa03', update('pr', 'three'));
    const found = await changesOf('pr');
    expect(found.map(({ reconciliation, revision, verb }) => [reconciliation, revision, verb])).toEqual([
      [last, 'aa03', 'update'],
      [first, 'aa01', 'update'],
    ]);
    expect(found[0]!.changes).toEqual([{ key: 'prompt', from: 'before', to: 'three' }]);
    expect(await changesOf('pr', null, 1)).toHaveLength(1);
  });

  it('examines a limited number of applies of limited size, and always that of the revision', async () => {
    await opened.storage.inventory.register(FACTORY, START_MS);
    await reconcile('aa01', update('pr', 'x'.repeat(MAX_EXAMINED_PLAN_BYTES)));
    expect(await changesOf('pr')).toEqual([]);
    expect(await changesOf('pr', 'aa01')).toHaveLength(1);
    await reconcile('aa02', update('old', 'two'));
    for (let i = 0; i < MAX_EXAMINED_APPLIES; i++) await reconcile('aa03', EMPTY_PLAN);
    expect(await changesOf('old')).toEqual([]);
    expect(await changesOf('old', 'aa02')).toHaveLength(1);
  });

  it('finds reconciliations by the beginning of their revision', async () => {
    await opened.storage.inventory.register(FACTORY, START_MS);
    const one = await reconcile('aa01', EMPTY_PLAN);
    await reconcile('ab02', EMPTY_PLAN);
    const find = async (prefix: string, factories = [FACTORY]) =>
      (await history().ofRevision({ prefix, factories, limit: 10 })).map(({ id }) => id);
    expect(await find('aa')).toEqual([one]);
    expect(await find('a')).toHaveLength(2);
    expect(await find('a', ['other'])).toEqual([]);
    expect(await find('b')).toEqual([]);
  });

  it('finds revisions by their beginning, each once, the equal one first', async () => {
    await opened.storage.inventory.register(FACTORY, START_MS);
    for (const revision of ['live-1', 'ab02', 'live-12']) await reconcile(revision, EMPTY_PLAN);
    for (let i = 0; i < 60; i++) await reconcile('ab03', EMPTY_PLAN);
    const find = async (prefix: string, factories = [FACTORY], limit = 11) =>
      (await history().revisions({ prefix, factories, limit })).map(({ revision }) => revision);
    expect(await find('ab')).toEqual(['ab03', 'ab02']);
    expect(await find('ab', [FACTORY], 1)).toEqual(['ab03']);
    expect(await find('live-1')).toEqual(['live-1', 'live-12']);
    expect(await find('ab', ['other'])).toEqual([]);
  });

  it('finds what a name stands for, also after it was deleted', async () => {
    const webhook = buildWebhook({ name: 'same' });
    await applyFactory(opened.storage, { webhooks: [webhook], automations: [buildAutomation({ name: 'same' })] });
    const named = (name: string) => history().named({ name, factories: [FACTORY, 'other'], limit: 10 });
    expect(await named('same')).toEqual([
      { kind: 'webhook', factory: FACTORY, uid: webhook.uid, deletedAt: null },
      { kind: 'automation', factory: FACTORY, deletedAt: null },
    ]);
    expect(await named('sam')).toEqual([]);
    const plan = { ...EMPTY_PLAN, automations: { create: [], update: [], delete: [entry('gone')] } };
    await reconcile('aa09', plan);
    expect(await named('gone')).toEqual([{ kind: 'automation', factory: FACTORY, deletedAt: expect.any(Number) }]);
    expect(await history().automationNames(FACTORY, 10)).toEqual(['same']);
  });
});
