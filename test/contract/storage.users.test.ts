import { describe, expect, it } from 'vitest';
import type { Role, User } from '../../src/domain/access/access.ts';
import type { UserChange } from '../../src/domain/ports/access.ts';
import { ids, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

function buildUser(name: string, role: Role = 'viewer', more: Partial<User> = {}): User {
  return {
    id: ids.userId(START_MS),
    kind: 'local',
    name,
    role,
    factories: null,
    disabledAt: null,
    createdAt: START_MS,
    lastSignInAt: null,
    passwordChangedAt: START_MS,
    ...more,
  };
}

describe.each(STORAGES)('users on $name', (kind) => {
  const opened = useStorage(kind);
  const users = () => opened.storage.users;
  const insert = async (user: User, hash = 'hash') => {
    expect(await users().insertLocal(user, hash)).toBe(true);
    return user;
  };

  it('are found by name, ignoring case, and by ID', async () => {
    const user = await insert(buildUser('Alice', 'operator', { factories: ['payments'] }), 'the hash');
    expect(await users().findLocal('aLiCe')).toEqual({ user, passwordHash: 'the hash' });
    expect(await users().get(user.id)).toEqual(user);
    expect(await users().findLocal('bob')).toBeNull();
    expect(await users().get('usr_unknown')).toBeNull();
  });

  it('have unique names', async () => {
    const user = await insert(buildUser('alice'));
    expect(await users().insertLocal(buildUser('ALICE'), 'other')).toBe(false);
    expect(await users().list()).toEqual([user]);
  });

  it('change only the fields of the request', async () => {
    const user = await insert(buildUser('alice'));
    expect(await users().change(user.id, { role: 'manager' }, START_MS + 1)).toBe('done');
    expect(await users().change(user.id, { factories: ['a'], disabled: true }, START_MS + 2)).toBe('done');
    const disabled = { ...user, role: 'manager', factories: ['a'], disabledAt: START_MS + 2 };
    expect(await users().get(user.id)).toEqual(disabled);
    await users().change(user.id, { disabled: true }, START_MS + 3);
    expect(await users().get(user.id)).toEqual(disabled);
    await users().change(user.id, { disabled: false, passwordHash: 'new' }, START_MS + 4);
    const { user: after, passwordHash } = (await users().findLocal('alice'))!;
    expect(after).toEqual({ ...disabled, disabledAt: null, passwordChangedAt: START_MS + 4 });
    expect(passwordHash).toBe('new');
    expect(await users().change('usr_unknown', { role: 'owner' }, START_MS)).toBe('not_found');
  });

  it('store the last sign-in', async () => {
    const user = await insert(buildUser('alice'));
    await users().noteSignIn(user.id, START_MS + 7);
    expect((await users().get(user.id))!.lastSignInAt).toBe(START_MS + 7);
  });

  it.each([{ passwordHash: 'new' }, { disabled: true }, null])(
    'lose their sessions by %j (null: deletion)',
    async (change) => {
      const [alice, bob] = [await insert(buildUser('alice')), await insert(buildUser('bob'))];
      const times = { createdAt: START_MS, lastUsedAt: START_MS, expiresAt: START_MS + 9 };
      const hashes = [alice, bob].map((_user, index) => new Uint8Array(32).fill(index));
      for (const [index, { id }] of [alice, bob].entries()) {
        const session = {
          id: ids.sessionId(START_MS),
          owner: { user: id },
          clientAddress: '::1',
          userAgent: null,
          ...times,
        };
        await opened.storage.sessions.insert(session, hashes[index]!);
      }
      await (change === null ? users().delete(alice.id) : users().change(alice.id, change, START_MS));
      expect(await opened.storage.sessions.find(hashes[0]!, START_MS)).toBeNull();
      const left = await opened.storage.sessions.find(hashes[1]!, START_MS);
      expect(left!.identity).toEqual({ kind: 'local', id: bob.id, name: 'bob', role: 'viewer', factories: null });
    },
  );

  it('keep one owner who can sign in and access everything', async () => {
    const [alice, bob] = [await insert(buildUser('alice', 'owner')), await insert(buildUser('bob', 'owner'))];
    await insert(buildUser('limited', 'owner', { factories: ['a'] }));
    await insert(buildUser('disabled', 'owner', { disabledAt: START_MS }));
    expect(await users().delete(bob.id)).toBe('done');
    const lesser: UserChange[] = [{ role: 'manager' }, { factories: ['a'] }, { disabled: true }];
    for (const change of lesser) expect(await users().change(alice.id, change, START_MS)).toBe('last_owner');
    expect(await users().delete(alice.id)).toBe('last_owner');
    expect(await users().get(alice.id)).toEqual(alice);
    expect(await users().change(alice.id, { passwordHash: 'new' }, START_MS)).toBe('done');
  });
});
