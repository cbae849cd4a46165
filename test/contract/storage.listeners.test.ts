import { beforeEach, describe, expect, it } from 'vitest';
import type { Trigger } from '../../src/domain/definitions/trigger.ts';
import type { WebhookUid } from '../../src/domain/ids.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { applyFactory, buildAutomation, buildWebhook } from '../helpers/build-apply.ts';
import { START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

type Listening = [uids: WebhookUid[], payload: JsonObject | null];

function listen(name: string, listening: Listening[], enabled = true) {
  const at = { line: 1, column: 1 };
  const triggers = listening.map(([webhookIds, payload]): Trigger => {
    return { provider: 'webhook', event: 'received', webhookIds, webhooks: [], payload, at } as Trigger;
  });
  return buildAutomation({ name, enabled, triggers, listensTo: listening.map(([uids]) => uids) });
}

const FATAL = { level: ['fatal'] };
const ERROR = { level: ['error'] };

describe.each(STORAGES)('the history of listeners on $name', (kind) => {
  const opened = useStorage(kind);
  let [first, second] = [buildWebhook(), buildWebhook({ name: 'second' })];
  beforeEach(async () => {
    [first, second] = [buildWebhook(), buildWebhook({ name: 'second' })];
    await applyFactory(opened.storage, { webhooks: [first, second] });
  });

  const apply = async (...automations: ReturnType<typeof listen>[]) =>
    (await applyFactory(opened.storage, { automations })).applyNumber;
  const listeners = (applyNumber: number, more: { names?: string[]; after?: string; limit?: number } = {}) => {
    const { names = null, after = null, limit = 100 } = more;
    return opened.storage.deliveryReader.listeners({ webhook: first.uid, applyNumber, names, after, limit });
  };

  it('numbers the applies of each factory', async () => {
    expect(await apply()).toBe(2);
    expect(await apply()).toBe(3);
    expect((await applyFactory(opened.storage, { factory: 'other' })).applyNumber).toBe(1);
  });

  it('returns the automations that listened at an apply, before and after changes', async () => {
    const one = listen('one', [[[first.uid], FATAL]]);
    const created = await apply(one, listen('two', [[[first.uid, second.uid], null]]));
    const changed = await apply(listen('one', [[[first.uid], ERROR]]));
    const disabled = await apply(listen('one', [[[first.uid], ERROR]], false));
    const moved = await apply(listen('two', [[[second.uid], null]]));
    const { applyNumber: deleted } = await applyFactory(opened.storage, { deleteAutomations: ['one', 'two'] });
    const returned = await apply(one);

    const two = { automation: 'two', enabled: true, filters: [{}] };
    const ofOne = (filter: JsonObject, enabled = true) => ({
      automation: 'one',
      enabled,
      filters: [{ payload: filter }],
    });
    expect(await listeners(1)).toEqual([]);
    expect(await listeners(created)).toEqual([ofOne(FATAL), two]);
    expect(await listeners(changed)).toEqual([ofOne(ERROR), two]);
    expect(await listeners(disabled)).toEqual([ofOne(ERROR, false), two]);
    expect(await listeners(moved)).toEqual([ofOne(ERROR, false)]);
    expect(await listeners(deleted)).toEqual([]);
    expect(await listeners(returned)).toEqual([ofOne(FATAL)]);
  });

  it('adds no row for an automation that is applied again without a change', async () => {
    const one = listen('one', [
      [[first.uid], FATAL],
      [[first.uid, second.uid], ERROR],
    ]);
    const created = await apply(one);
    const again = await apply({ ...one, description: 'changed' });
    expect(await listeners(created)).toEqual([
      { automation: 'one', enabled: true, filters: [{ payload: FATAL }, { payload: ERROR }] },
    ]);
    expect(await listeners(again)).toEqual(await listeners(created));
  });

  it('keeps the listeners of a webhook that is renamed or deleted', async () => {
    const created = await apply(listen('one', [[[first.uid], FATAL]]));
    const before = await listeners(created);
    await applyFactory(opened.storage, { webhooks: [{ ...first, name: 'renamed', file: 'webhooks/renamed.yaml' }] });
    expect(await listeners(created)).toEqual(before);
    await applyFactory(opened.storage, { deleteWebhooks: [first.uid], at: START_MS + 1 });
    expect(await listeners(created)).toEqual(before);
  });

  it('lists names in pages', async () => {
    const created = await apply(...['a', 'b', 'c', 'd'].map((name) => listen(name, [[[first.uid], null]])));
    const namesOf = async (more: Parameters<typeof listeners>[1]) =>
      (await listeners(created, more)).map(({ automation }) => automation);
    expect(await namesOf({ limit: 3 })).toEqual(['a', 'b', 'c']);
    expect(await namesOf({ after: 'b', limit: 3 })).toEqual(['c', 'd']);
    expect(await namesOf({ names: ['d', 'a', 'nobody'] })).toEqual(['a', 'd']);
  });

  it('writes more automations than one statement can take', async () => {
    const many = Array.from({ length: 1_201 }, (_, i) => listen(`a${i}`, [[[first.uid], { id: [i] }]]));
    const created = await apply(...many);
    expect(await listeners(created, { limit: 5_000 })).toHaveLength(1_201);
    const { applyNumber: deleted } = await applyFactory(opened.storage, {
      deleteAutomations: many.map(({ name }) => name),
    });
    expect([(await listeners(created, { limit: 5_000 })).length, (await listeners(deleted)).length]).toEqual([
      1_201, 0,
    ]);
  });
});
