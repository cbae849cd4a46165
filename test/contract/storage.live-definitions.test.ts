import { beforeEach, describe, expect, it } from 'vitest';
import { applyFactory, buildWebhook } from '../helpers/build-apply.ts';
import { START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const A = { path: 'webhooks/a.yaml', text: 'secretName: A\n' };
const B = { path: 'webhooks/b.yaml', text: 'secretName: B\n' };
const UID = 'wh_0123456789abcdefghjkmnpqrs';

describe.each(STORAGES)('definitions without a repository on $name', (kind) => {
  const opened = useStorage(kind);
  const live = () => opened.storage.liveDefinitions;
  beforeEach(async () => {
    for (const factory of ['f', 'g']) await opened.storage.inventory.register(factory, START_MS);
  });

  it('have no revision before the first edit', async () => {
    expect([await live().head('f'), await live().read('f')]).toEqual([null, null]);
  });

  it('are numbered by their edits, separately for each factory, and survive a restart', async () => {
    expect(await live().commit('f', { from: null, files: [A] })).toBe(1);
    expect(await live().commit('f', { from: 1, files: [B] })).toBe(2);
    expect(await live().commit('g', { from: null, files: [B] })).toBe(1);
    await opened.reopen();
    expect([await live().head('f'), await live().head('g')]).toEqual([2, 1]);
    const read = await live().read('f');
    expect(read).toEqual({ revision: 2, files: [A, B].map((file) => ({ ...file, uid: null })) });
  });

  it('are not changed by an edit that is not based on the newest revision', async () => {
    await live().commit('f', { from: null, files: [A] });
    for (const from of [null, 0, 2]) expect(await live().commit('f', { from, files: [B] })).toBeNull();
    expect((await live().read('f'))?.files.map(({ path }) => path)).toEqual([A.path]);
  });

  it('accept only one of two edits of the same revision', async () => {
    await live().commit('f', { from: null, files: [A] });
    const edits = [
      await live().commit('f', { from: 1, files: [B] }),
      await live().commit('f', { from: 1, files: [{ path: A.path, text: null }] }),
    ];
    expect(edits).toEqual([2, null]);
    expect((await live().read('f'))?.files).toHaveLength(2);
  });

  it('keep the UID of a renamed webhook through later edits, until it is deleted', async () => {
    await live().commit('f', { from: null, files: [{ ...A, uid: UID }] });
    await live().commit('f', { from: 1, files: [{ ...A, text: 'secretName: C\n' }] });
    expect((await live().read('f'))?.files).toEqual([{ path: A.path, text: 'secretName: C\n', uid: UID }]);
    await live().commit('f', { from: 2, files: [{ path: A.path, text: null }] });
    await live().commit('f', { from: 3, files: [A] });
    expect((await live().read('f'))?.files[0]?.uid).toBeNull();
  });
});

describe.each(STORAGES)('renamed webhooks on $name', (kind) => {
  const opened = useStorage(kind);
  const names = async () => {
    const applied = await opened.storage.inventory.load('payments');
    return Object.fromEntries(applied!.webhooks.map(({ uid, name, deletedAt }) => [uid, [name, deletedAt !== null]]));
  };

  it('can take the name of a deleted webhook, and swap their names', async () => {
    const [a, b] = [buildWebhook({ name: 'a' }), buildWebhook({ name: 'b' })];
    await applyFactory(opened.storage, { webhooks: [a, b] });
    await applyFactory(opened.storage, {
      webhooks: [
        { ...a, name: 'b' },
        { ...b, name: 'a' },
      ],
    });
    expect(await names()).toEqual({ [a.uid]: ['b', false], [b.uid]: ['a', false] });
    await applyFactory(opened.storage, { webhooks: [{ ...a, name: 'a' }], deleteWebhooks: [b.uid] });
    expect(await names()).toEqual({ [a.uid]: ['a', false], [b.uid]: ['a', true] });
  });

  it('never share a name while they exist', async () => {
    const [a, b] = [buildWebhook({ name: 'a' }), buildWebhook({ name: 'a' })];
    await expect(applyFactory(opened.storage, { webhooks: [a, b] })).rejects.toThrow();
  });
});
