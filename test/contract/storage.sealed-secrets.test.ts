import { describe, expect, it } from 'vitest';
import type { SealedSecret } from '../../src/domain/ports/secret-store.ts';
import { applyFactory, buildAutomation, buildWebhook, FACTORY } from '../helpers/build-apply.ts';
import { START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const DELETER = { at: START_MS + 99, name: 'bob' };

function seal(version: number, more: Partial<SealedSecret> = {}): SealedSecret {
  return {
    name: 'API_KEY',
    version,
    sealed: new Uint8Array([0, version, 255]),
    createdAt: START_MS + version,
    createdBy: null,
    replacedAt: null,
    replacedBy: null,
    ...more,
  };
}

describe.each(STORAGES)('encrypted secrets on $name', (kind) => {
  const opened = useStorage(kind);
  const table = () => opened.storage.sealedSecrets;

  it('stores the proof of the master key', async () => {
    expect(await table().keyCheck()).toBeNull();
    await table().setKeyCheck(new Uint8Array([1, 0, 2]));
    await opened.reopen();
    expect([...(await table().keyCheck())!]).toEqual([1, 0, 2]);
  });

  it('never replaces the proof of the master key', async () => {
    await table().setKeyCheck(new Uint8Array([1]));
    await expect(table().setKeyCheck(new Uint8Array([2]))).rejects.toMatchObject({ name: 'AppError' });
    expect([...(await table().keyCheck())!]).toEqual([1]);
  });

  it('replaces all encrypted values, or none, and leaves those that changed meanwhile', async () => {
    await table().insert(seal(1));
    await table().insert(seal(2));
    const keyId = new Uint8Array([9]);
    const stale = () => table().sealedElsewhere(keyId, { skip: 0, limit: 10 });
    const values = (await stale()).map((before) => ({ before, sealed: new Uint8Array([9, 9]) }));
    expect(values.map(({ before }) => ({ ...before, sealed: [...before.sealed] }))).toEqual([
      { kind: 'secret', name: 'API_KEY', version: 1, sealed: [0, 1, 255] },
      { kind: 'secret', name: 'API_KEY', version: 2, sealed: [0, 2, 255] },
    ]);
    const broken = [values[0]!, { ...values[1]!, sealed: null as unknown as Uint8Array }];
    await expect(table().replaceSealed(broken)).rejects.toThrow();
    await opened.reopen();
    expect(await stale()).toHaveLength(2);
    const changed = { ...values[1]!, before: { ...values[1]!.before, sealed: new Uint8Array([7]) } };
    await table().replaceSealed([values[0]!, changed]);
    expect(await stale()).toMatchObject([{ version: 2 }]);
    expect(await table().sealedElsewhere(keyId, { skip: 1, limit: 10 })).toEqual([]);
  });

  it('keeps the record of a change of the master key until its end, which replaces the proof', async () => {
    await table().setKeyCheck(new Uint8Array([1]));
    expect(await table().rotation()).toBeNull();
    await table().beginRotation(new Uint8Array([5]));
    await expect(table().beginRotation(new Uint8Array([6]))).rejects.toMatchObject({ code: 'conflict' });
    await opened.reopen();
    expect([...(await table().rotation())!]).toEqual([5]);
    await table().endRotation(new Uint8Array([2]));
    expect([[...(await table().keyCheck())!], await table().rotation()]).toEqual([[2], null]);
  });

  it('returns the newest version, and every other version by number, byte for byte', async () => {
    await table().insert(seal(1));
    await table().insert(seal(2));
    expect(describeSecret(await table().newest('API_KEY'))).toMatchObject(describeSecret(seal(2))!);
    const replaced = seal(1, { replacedAt: START_MS + 2 });
    expect(describeSecret(await table().get('API_KEY', 1))).toEqual(describeSecret(replaced));
    expect(await table().get('API_KEY', 3)).toBeNull();
    expect(await table().newest('OTHER')).toBeNull();
  });

  it('notes who replaced a version and when, and returns the newest versions first', async () => {
    await table().insert(seal(1, { createdBy: 'alice' }));
    await table().insert(seal(2, { createdBy: 'bob' }));
    await table().insert(seal(3));
    const history = async (limit: number) =>
      (await table().versions('API_KEY', limit)).map(({ version, createdBy, replacedAt, replacedBy }) => [
        version,
        createdBy,
        replacedAt,
        replacedBy,
      ]);
    expect(await history(9)).toEqual([
      [3, null, null, null],
      [2, 'bob', START_MS + 3, null],
      [1, 'alice', START_MS + 2, 'bob'],
    ]);
    await table().delete('API_KEY', DELETER);
    await table().insert(seal(4, { createdBy: 'carol' }));
    expect(await history(2)).toEqual([
      [4, 'carol', null, null],
      [3, null, DELETER.at, DELETER.name],
    ]);
  });

  it('rejects a version that exists', async () => {
    await table().insert(seal(1));
    await table().insert(seal(2));
    for (const version of [1, 2]) {
      const other = seal(version, { sealed: new Uint8Array([9]) });
      await expect(table().insert(other)).rejects.toMatchObject({ name: 'AppError', code: 'conflict' });
    }
    expect(describeSecret(await table().newest('API_KEY'))).toMatchObject(describeSecret(seal(2))!);
  });

  it('deletes a name but no pinned versions, and never reuses a version number', async () => {
    await table().insert(seal(1));
    expect(await table().delete('API_KEY', DELETER)).toBe(true);
    expect(await table().delete('API_KEY', DELETER)).toBe(false);
    expect(await table().newest('API_KEY')).toBeNull();
    expect(await table().list()).toEqual([]);
    const deleted = seal(1, { replacedAt: DELETER.at, replacedBy: DELETER.name });
    expect(describeSecret(await table().get('API_KEY', 1))).toEqual(describeSecret(deleted));
    expect(await table().lastVersion('API_KEY')).toBe(1);
    await expect(table().insert(seal(1))).rejects.toMatchObject({ code: 'conflict' });
    await table().insert(seal(2));
    expect(await table().list()).toMatchObject([{ name: 'API_KEY', version: 2, createdAt: START_MS + 2 }]);
  });

  it('has no version of an unknown name, and cannot delete it', async () => {
    expect(await table().lastVersion('NEW')).toBe(0);
    expect(await table().delete('NEW', DELETER)).toBe(false);
  });

  it('lists names with their newest version and the versions that webhooks have pinned', async () => {
    await table().insert(seal(1));
    await table().insert(seal(1, { name: 'B_KEY' }));
    const webhooks = [
      buildWebhook({ name: 'b', secretName: 'API_KEY', secretVersion: 1 }),
      buildWebhook({ name: 'a', secretName: 'API_KEY', secretVersion: 1 }),
      buildWebhook({ name: 'deleted', secretName: 'API_KEY', secretVersion: 1 }),
    ];
    await applyFactory(opened.storage, { webhooks });
    await applyFactory(opened.storage, { deleteWebhooks: [webhooks[2]!.uid] });
    await table().insert(seal(2));
    const users = ['a', 'b'].map((webhook) => ({ factory: FACTORY, webhook, version: 1 }));
    const at = START_MS + 1;
    const scope = { webhook: [], run: [] };
    expect(await table().list()).toEqual([
      { name: 'API_KEY', version: 2, createdAt: at, updatedAt: at + 1, scope, usedBy: users, listedBy: [] },
      { name: 'B_KEY', version: 1, createdAt: at, updatedAt: at, scope, usedBy: [], listedBy: [] },
    ]);
  });

  it('keeps the scope of a name until it is replaced, and forgets it with the name', async () => {
    const scope = { webhook: ['payments'], run: null };
    const scopes = async () => Object.fromEntries(await table().scopes(['API_KEY', 'B_KEY']));
    await table().insert(seal(1), scope);
    await table().insert(seal(1, { name: 'B_KEY' }));
    await table().insert(seal(2));
    await opened.reopen();
    expect((await table().newest('API_KEY'))?.scope).toEqual(scope);
    expect(await scopes()).toEqual({ API_KEY: scope, B_KEY: { webhook: [], run: [] } });
    expect(await table().setScope('B_KEY', { webhook: null, run: [] })).toBe(true);
    await table().delete('API_KEY', DELETER);
    expect(await table().setScope('API_KEY', scope)).toBe(false);
    expect(await scopes()).toEqual({ B_KEY: { webhook: null, run: [] } });
  });

  it('replaces a renamed factory in scopes, and removes a forgotten one', async () => {
    const { inventory, factoryNames } = opened.storage;
    for (const name of ['old', 'new', 'other']) await inventory.register(name, START_MS);
    await table().insert(seal(1), { webhook: ['old', 'other'], run: null });
    await table().insert(seal(1, { name: 'B_KEY' }), { webhook: [], run: ['new', 'old'] });
    await factoryNames.rename({ from: 'old', to: 'new', isHosted: false, at: START_MS });
    expect((await table().list()).map(({ scope }) => scope)).toEqual([
      { webhook: ['new', 'other'], run: null },
      { webhook: [], run: ['new'] },
    ]);
    await factoryNames.forget('new', START_MS);
    expect((await table().list()).map(({ scope }) => scope)).toEqual([
      { webhook: ['other'], run: null },
      { webhook: [], run: [] },
    ]);
  });

  it('finds a name as it is in the list, and no deleted or unknown one', async () => {
    for (const name of ['A_KEY', 'AXKEY', 'TOKEN', 'GONE']) await table().insert(seal(1, { name }));
    await table().delete('GONE', DELETER);
    await applyFactory(opened.storage, {
      webhooks: [
        buildWebhook({ name: 'a', secretName: 'A_KEY', secretVersion: 1 }),
        buildWebhook({ name: 'b', secretName: 'AXKEY', verifyTokenSecretName: 'A_KEY', verifyTokenSecretVersion: 1 }),
        buildWebhook({ name: 'c', secretName: 'TOKEN', secretVersion: 1 }),
      ],
      automations: [
        buildAutomation({ name: 'fix', overrides: { secrets: ['A_KEY', 'TOKEN'] } }),
        buildAutomation({ name: 'mentions', overrides: { secrets: ['AXKEY'], note: 'A_KEY' } }),
        buildAutomation({ name: 'none' }),
      ],
    });
    const list = await table().list();
    expect(list.map(({ name }) => name)).toEqual(['AXKEY', 'A_KEY', 'TOKEN']);
    for (const summary of list) expect(await table().find(summary.name)).toEqual(summary);
    expect(list[1]).toMatchObject({
      usedBy: [{ webhook: 'a' }, { webhook: 'b' }],
      listedBy: [{ automation: 'fix' }],
    });
    expect([await table().find('GONE'), await table().find('NEW')]).toEqual([null, null]);
  });

  it('lists the automations that pass a secret to their runs, while they exist', async () => {
    await table().insert(seal(1));
    const automations = [
      buildAutomation({ name: 'report', overrides: { secrets: ['OTHER', 'API_KEY'] } }),
      buildAutomation({ name: 'invalid-secrets', overrides: { secrets: 'API_KEY' } }),
      buildAutomation({ name: 'fix', enabled: false, overrides: { secrets: ['API_KEY'] } }),
    ];
    await applyFactory(opened.storage, { automations });
    const names = async () => (await table().list())[0]!.listedBy.map(({ automation }) => automation);
    expect(await names()).toEqual(['fix', 'report']);
    await applyFactory(opened.storage, { deleteAutomations: ['report'] });
    expect((await table().list())[0]!.listedBy).toEqual([{ factory: FACTORY, automation: 'fix' }]);
  });
});

function describeSecret(secret: SealedSecret | null) {
  return secret && { ...secret, sealed: [...secret.sealed] };
}
