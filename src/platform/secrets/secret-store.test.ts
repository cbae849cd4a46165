import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../domain/errors.ts';
import type {
  NewSealedSecret,
  SealedSecret,
  SealedSecretTable,
  SecretHistory,
  SecretStore,
} from '../../domain/ports/secret-store.ts';
import type { SecretSummary } from '../../domain/resources/secret.ts';
import type { ScopeChange, SecretScope, SecretUse } from '../../domain/secrets/secret-scope.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import type { Redactor } from './redactor.ts';
import { createRedactor } from './redactor.ts';
import { createSecretStore, MAX_SECRET_BYTES, type NamingTarget } from './secret-store.ts';
import { createVault } from './vault.ts';
import { verifyMasterKey } from './verify-master-key.ts';

/** A table in memory that counts its writes. */
class MemoryTable implements SealedSecretTable {
  rows: (SealedSecret & { deleted: boolean })[] = [];
  check: Uint8Array | null = null;
  usedBy: SecretSummary['usedBy'] = [];
  listedBy: SecretSummary['listedBy'] = [];
  writes = 0;
  scopeOf = new Map<string, SecretScope>();

  setScope = async (name: string, scope: SecretScope) => {
    this.writes += 1;
    this.scopeOf.set(name, scope);
    return true;
  };
  scopes = async () => this.scopeOf;
  keyCheck = async () => this.check;
  setKeyCheck = async (check: Uint8Array) => {
    this.writes += 1;
    this.check = check;
  };
  lastVersion = async (name: string) =>
    Math.max(0, ...this.rows.filter((row) => row.name === name).map((row) => row.version));
  insert = async (secret: NewSealedSecret, scope: SecretScope = this.scopeOf.get(secret.name)!) => {
    if (await this.get(secret.name, secret.version)) throw new AppError('conflict', 'That version is taken.');
    this.writes += 1;
    this.scopeOf.set(secret.name, scope);
    this.rows.push({ ...secret, replacedAt: null, replacedBy: null, deleted: false });
  };
  newest = async (name: string) => {
    const rows = this.rows.filter((row) => row.name === name && !row.deleted);
    const newest = rows.sort((a, b) => b.version - a.version)[0];
    return newest === undefined ? null : { ...newest, scope: this.scopeOf.get(name)! };
  };
  get = async (name: string, version: number) =>
    this.rows.find((row) => row.name === name && row.version === version) ?? null;
  versions = async (name: string, limit: number) =>
    this.rows
      .filter((row) => row.name === name)
      .reverse()
      .slice(0, limit);
  list = async () => {
    const names = new Set(this.rows.filter((row) => !row.deleted).map((row) => row.name));
    return [...names].map((name) => ({
      name,
      version: 1,
      createdAt: 0,
      updatedAt: 0,
      scope: this.scopeOf.get(name)!,
      usedBy: this.usedBy,
      listedBy: this.listedBy,
    }));
  };
  find = async (name: string) => (await this.list()).find((secret) => secret.name === name) ?? null;
  delete = async (name: string) => {
    const rows = this.rows.filter((row) => row.name === name && !row.deleted);
    for (const row of rows) row.deleted = true;
    return rows.length > 0;
  };
}

const clock = { wallMs: () => 1_700_000_000_000, monotonicMs: () => 0 };
const vault = createVault(randomBytes(32));
let table: MemoryTable;
let redactor: Redactor;
let store: SecretStore & SecretHistory;
let notifyTargets: NamingTarget[];

beforeEach(() => {
  table = new MemoryTable();
  redactor = createRedactor();
  notifyTargets = [];
  store = createSecretStore({ table, vault, clock, redactor, notifyTargets, factories: ['payments'] });
});

const put = (name: string, value: string, mode: 'create' | 'update' | 'put' = 'put') =>
  store.put(name, new SecretValue(value), mode);

async function resolve(name: string, factory = 'payments', use: SecretUse = 'webhook') {
  const found = await store.resolve(name, { factory, use });
  return found.outcome === 'found' ? [found.version, found.value.reveal()] : found.outcome;
}

describe('putting', () => {
  it('counts versions from 1 and keeps every one readable', async () => {
    expect(await put('TOKEN', 'first')).toMatchObject({ created: true, version: 1 });
    expect(await put('TOKEN', 'second')).toMatchObject({ created: false, version: 2 });
    expect((await store.open('TOKEN', 1))?.reveal()).toBe('first');
    expect(await resolve('TOKEN')).toEqual([2, 'second']);
  });

  it('does not use a version of a deleted secret again', async () => {
    await put('TOKEN', 'first');
    await store.delete('TOKEN', { force: false });
    expect(await resolve('TOKEN')).toBe('missing');
    expect(await put('TOKEN', 'second', 'create')).toMatchObject({ created: true, version: 2 });
  });

  it('returns the history of a secret without the versions that cannot be decrypted', async () => {
    await store.put('TOKEN', new SecretValue('first'), 'put', { by: 'alice' });
    await store.put('TOKEN', new SecretValue('second'), 'put', { by: 'bob' });
    await put('TOKEN', 'third');
    table.rows[1]!.sealed = table.rows[0]!.sealed;
    const versions = await store.versions('TOKEN', 3);
    expect(versions.map(({ version, value, createdBy }) => [version, value.reveal(), createdBy])).toEqual([
      [3, 'third', null],
      [1, 'first', 'alice'],
    ]);
  });

  it('rejects to create what exists and to update what does not', async () => {
    await expect(put('TOKEN', 'value', 'update')).rejects.toMatchObject({ code: 'not_found' });
    await put('TOKEN', 'value', 'create');
    await expect(put('TOKEN', 'value', 'create')).rejects.toMatchObject({ code: 'conflict' });
  });

  it.each(['', '1TOKEN', 'MY-TOKEN', 'A'.repeat(129), 'TOKEN\n', 'tökén', '__proto__.x'])(
    'rejects the name %j',
    async (name) => {
      await expect(put(name, 'value')).rejects.toMatchObject({ code: 'bad_request' });
      expect(table.writes).toBe(0);
    },
  );

  it.each(['_', 'a', 'TOKEN_2', 'A'.repeat(128), '__proto__'])('accepts the name %j', async (name) => {
    expect(await put(name, 'value')).toMatchObject({ created: true, version: 1 });
  });

  it.each([
    ['empty', '', 'is empty'],
    ['too long', 'é'.repeat(MAX_SECRET_BYTES / 2 + 1), 'has 65538 bytes'],
    ['no Unicode text', 'secret-\ud800', 'not valid Unicode'],
  ])('rejects a value that is %s without showing it', async (_name, value, message) => {
    const error = await put('TOKEN', value).catch((thrown: AppError) => thrown);
    expect(error).toMatchObject({ code: 'bad_request', message: expect.stringContaining(message) });
    expect((error as AppError).message).not.toContain(value || '\0');
    expect(table.writes).toBe(0);
  });

  it('accepts a value of the longest length', async () => {
    await put('TOKEN', 'x'.repeat(MAX_SECRET_BYTES));
    expect((await resolve('TOKEN'))[1]).toHaveLength(MAX_SECRET_BYTES);
  });

  it('stores each of many values that come at the same moment, and creates once', async () => {
    const stored = await Promise.all(Array.from({ length: 20 }, (_, index) => put('TOKEN', `value ${index}`)));
    expect(stored.map(({ version }) => version)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(stored.filter(({ created }) => created)).toHaveLength(1);
    const creations = await Promise.allSettled([1, 2, 3].map(() => put('OTHER', 'value', 'create')));
    expect(creations.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('stores nothing that shows the value', async () => {
    await put('TOKEN', 'canary-value');
    expect(Buffer.from(table.rows[0]!.sealed).includes('canary')).toBe(false);
  });
});

describe('the scope', () => {
  const PAYMENTS = { webhook: ['payments'], run: ['payments'] };
  const rescope = (change: ScopeChange, force = false) => store.put('TOKEN', null, 'update', { scope: change, force });
  const open = async () => ({
    payments: [await resolve('TOKEN'), await resolve('TOKEN', 'payments', 'run')],
    billing: [await resolve('TOKEN', 'billing'), await resolve('TOKEN', 'billing', 'run')],
  });
  const FOUND = [1, 'value'];

  it('of a new secret is the only factory', async () => {
    expect(await put('TOKEN', 'value')).toMatchObject({ scope: PAYMENTS });
    expect(await open()).toEqual({ payments: [FOUND, FOUND], billing: ['outside_scope', 'outside_scope'] });
  });

  it.each([[[]], [['payments', 'billing']]])(
    'of a new secret includes no factory if there are %j',
    async (factories) => {
      store = createSecretStore({ table, vault, clock, redactor, notifyTargets, factories });
      expect(await put('TOKEN', 'value')).toMatchObject({ scope: { webhook: [], run: [] } });
      expect(await open()).toEqual({
        payments: ['outside_scope', 'outside_scope'],
        billing: ['outside_scope', 'outside_scope'],
      });
      const named = await store.resolve('TOKEN', 'configuration');
      expect(named.outcome).toBe('found');
    },
  );

  it('is what was asked for, and stays with a new value', async () => {
    const scope = { factories: ['billing'], uses: ['run'] } satisfies ScopeChange;
    await store.put('TOKEN', new SecretValue('first'), 'create', { scope });
    expect(await put('TOKEN', 'second')).toMatchObject({ version: 2, scope: { webhook: [], run: ['billing'] } });
    expect((await open()).billing).toEqual(['outside_scope', [2, 'second']]);
  });

  it('can be all factories, only if they are named', async () => {
    await put('TOKEN', 'value');
    expect(await rescope({ factories: null })).toMatchObject({ version: 1, scope: { webhook: null, run: null } });
    expect(await open()).toEqual({ payments: [FOUND, FOUND], billing: [FOUND, FOUND] });
  });

  it('changes in part, and by addition', async () => {
    await put('TOKEN', 'value');
    const scopes = [
      await rescope({ uses: ['run'] }),
      await rescope({ factories: ['billing'] }),
      await rescope({ factories: ['payments'], uses: ['webhook'], add: true }),
    ].map(({ scope }) => scope);
    expect(scopes).toEqual([
      { webhook: [], run: ['payments'] },
      { webhook: [], run: ['billing'] },
      { webhook: ['payments'], run: ['billing'] },
    ]);
    await expect(rescope({ uses: ['run'] })).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('does not exclude a user, unless forced', async () => {
    await put('TOKEN', 'value');
    table.usedBy = [{ factory: 'payments', webhook: 'ci', version: 1 }];
    table.listedBy = [{ factory: 'payments', automation: 'fix-errors' }];
    const rejected = expect.stringContaining('payments/ci, payments/fix-errors (automation)');
    await expect(rescope({ factories: ['billing'] })).rejects.toMatchObject({
      code: 'secret_in_use',
      message: rejected,
    });
    await rescope({ factories: ['billing'], add: true });
    await expect(rescope({ uses: ['webhook'] })).rejects.toMatchObject({ code: 'secret_in_use' });
    expect(await rescope({ factories: ['billing'] }, true)).toMatchObject({ scope: { webhook: ['billing'] } });
  });

  it('needs a value for a new secret', async () => {
    const created = store.put('TOKEN', null, 'put', { scope: { factories: null } });
    await expect(created).rejects.toMatchObject({ code: 'bad_request' });
  });
});

describe('masking', () => {
  it('masks every value that went in or came out', async () => {
    await put('TOKEN', 'canary-value');
    expect(redactor.redactText('canary-value')).toBe('[redacted]');
    const later = createRedactor();
    await createSecretStore({ table, vault, clock, redactor: later, notifyTargets: [], factories: [] }).open(
      'TOKEN',
      1,
    );
    expect(later.redactText('canary-value')).toBe('[redacted]');
  });
});

describe('deleting', () => {
  it('rejects a secret in use, naming its webhooks, unless forced', async () => {
    await put('TOKEN', 'value');
    table.usedBy = [{ factory: 'payments', webhook: 'ci', version: 1 }];
    await expect(store.delete('TOKEN', { force: false })).rejects.toMatchObject({
      code: 'secret_in_use',
      message: expect.stringContaining('payments/ci'),
    });
    await store.delete('TOKEN', { force: true });
    expect((await store.open('TOKEN', 1))?.reveal()).toBe('value');
  });

  it('rejects a secret that only an automation lists, naming it, unless forced', async () => {
    await put('TOKEN', 'value');
    table.listedBy = [{ factory: 'payments', automation: 'fix-errors' }];
    await expect(store.delete('TOKEN', { force: false })).rejects.toMatchObject({
      code: 'secret_in_use',
      message: expect.stringContaining('payments/fix-errors (automation)'),
    });
    await store.delete('TOKEN', { force: true });
  });

  it('rejects a secret that only the configuration names to tell of commits, once for each kind of target', async () => {
    await put('TOKEN', 'value');
    const target = { factory: 'payments', type: 'github' };
    notifyTargets.push(...['TOKEN', 'TOKEN', 'OTHER'].map((secretName) => ({ ...target, secretName })));
    expect((await store.list())[0]?.notify).toEqual([target]);
    await expect(store.delete('TOKEN', { force: false })).rejects.toMatchObject({
      code: 'secret_in_use',
      message: expect.stringContaining('used by payments/github (notify).'),
    });
    await store.delete('TOKEN', { force: true });
  });

  it('rejects a secret that signs requests of an executor, and a scope without its factory', async () => {
    const receivers = [{ factory: 'payments', secretName: 'SIGNING' }];
    const signing = createSecretStore({
      table,
      vault,
      clock,
      redactor,
      notifyTargets,
      receivers,
      factories: ['payments'],
    });
    await signing.put('SIGNING', new SecretValue('value'), 'put');
    const problem = { code: 'secret_in_use', message: expect.stringContaining('payments (executor http)') };
    await expect(signing.delete('SIGNING', { force: false })).rejects.toMatchObject(problem);
    const scope = { factories: ['other'], uses: ['run' as const] };
    await expect(signing.put('SIGNING', null, 'put', { scope })).rejects.toMatchObject(problem);
    await signing.delete('SIGNING', { force: true });
  });

  it('rejects an unknown name', async () => {
    await expect(store.delete('TOKEN', { force: true })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('reading', () => {
  it('answers null for what does not exist', async () => {
    expect(await resolve('TOKEN')).toBe('missing');
    expect(await store.open('TOKEN', 1)).toBeNull();
  });

  it('reports rows that were swapped in the database', async () => {
    await put('ONE', 'value-1');
    await put('TWO', 'value-2');
    [table.rows[0]!.sealed, table.rows[1]!.sealed] = [table.rows[1]!.sealed, table.rows[0]!.sealed];
    await expect(store.open('ONE', 1)).rejects.toMatchObject({ code: 'storage_broken' });
  });
});

describe('the master key', () => {
  it('leaves its proof at the first use and passes from then on', async () => {
    await verifyMasterKey(table, vault);
    expect(table.writes).toBe(1);
    await verifyMasterKey(table, vault);
    expect(table.writes).toBe(1);
  });

  it('is rejected when it is another one, and nothing is written', async () => {
    await verifyMasterKey(table, vault);
    const before = table.writes;
    const other = createVault(randomBytes(32));
    await expect(verifyMasterKey(table, other)).rejects.toMatchObject({ code: 'master_key_wrong' });
    expect(table.writes).toBe(before);
  });

  it('is rejected when it did not seal the values of a table that lost its proof', async () => {
    await put('TOKEN', 'value');
    const other = createVault(randomBytes(32));
    await expect(verifyMasterKey(table, other)).rejects.toMatchObject({ code: 'master_key_wrong' });
    expect(table.check).toBeNull();
    await verifyMasterKey(table, vault);
    expect(table.check).not.toBeNull();
  });
});
