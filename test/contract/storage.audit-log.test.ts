import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { type AuditEntry, READ, UNANSWERED } from '../../src/domain/access/audit.ts';
import { actFor } from '../../src/domain/access/change-record.ts';
import { derivedAuditId } from '../../src/domain/ids.ts';
import { defineFunctions } from '../../src/storage/sqlite/define-functions.ts';
import { MIGRATIONS } from '../../src/storage/sqlite/migrations.ts';
import { ids, START_MS } from '../helpers/build-offer.ts';
import { STORAGES, useStorage } from '../helpers/with-storage.ts';

const DAY_MS = 86_400_000;
const POLICY = {
  deliveriesMs: 1,
  minDeliveries: 0,
  identitiesMs: 1,
  runsMs: 1,
  auditMs: 10 * DAY_MS,
  secretVersionsMs: 10 * DAY_MS,
};

function buildEntry(more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: ids.auditId(START_MS),
    at: START_MS,
    actor: null,
    method: 'POST',
    route: '/api/v1/users/:id',
    object: 'users/usr_1',
    changes: { role: 'owner' },
    status: 200,
    clientAddress: '192.0.2.7',
    ...more,
  };
}

const LINK = {
  id: ids.loginLinkId(START_MS),
  origin: 'request',
  createdAt: START_MS,
  expiresAt: START_MS + DAY_MS,
} as const;
const HASH = new Uint8Array(32).fill(7);

/** A request whose changes have this entry. */
function requestWith(entry: AuditEntry) {
  return {
    isStored: false,
    record: () => ({ audited: { entry, objects: [] }, key: null }),
    noteStored() {
      this.isStored = true;
    },
  };
}

describe.each(STORAGES)('the audit log on $name', (kind) => {
  const opened = useStorage(kind);
  const all = { actor: null, object: null, outcome: null, limit: 50, cursor: null };
  const list = (more = {}) => opened.storage.auditLog.list({ ...all, ...more });

  it('lists entries newest first, in pages', async () => {
    const actor = { kind: 'local', id: 'usr_1', name: 'alice' } as const;
    const entries = [buildEntry(), buildEntry({ actor, changes: null }), buildEntry({ status: 403 })];
    for (const entry of entries) await opened.storage.auditLog.append(entry);
    expect(await list()).toEqual({ data: entries.toReversed(), nextCursor: null });
    const { data, nextCursor } = await list({ limit: 2 });
    expect(data).toEqual([entries[2], entries[1]]);
    expect((await list({ limit: 2, cursor: nextCursor })).data).toEqual([entries[0]]);
    expect((await list({ actor: 'usr_1' })).data).toEqual([entries[1]]);
  });

  it('has one entry for two reads by a reader on a day, and lists reads on request', async () => {
    const idOf = (text: string, at = START_MS) => derivedAuditId(at, createHash('sha256').update(text).digest());
    const read = (id: AuditEntry['id'], clientAddress = '192.0.2.7') =>
      buildEntry({ id, method: READ, object: 'deliveries/dlv_1/payload', changes: null, clientAddress });
    const change = buildEntry();
    await opened.storage.auditLog.append(change);
    const first = read(idOf('alice, Monday'));
    await Promise.all([opened.storage.auditLog.append(first), opened.storage.auditLog.append(first)]);
    await opened.storage.auditLog.append(read(first.id, '192.0.2.8'));
    const others = [read(idOf('bob, Monday')), read(idOf('alice, Tuesday', START_MS + DAY_MS))];
    for (const other of others) await opened.storage.auditLog.append(other);
    expect((await list()).data).toEqual([change]);
    expect((await list({ include: 'reads' })).data).toEqual([...others.toReversed(), first]);
    expect((await list({ include: 'reads', object: 'deliveries/dlv_1' })).data).toHaveLength(3);
    expect((await list({ object: 'deliveries' })).data).toEqual([]);
    expect((await list({ include: 'all' })).data).toHaveLength(4);
  });

  it('stores the entry of a request in the transaction of its first change', async () => {
    const entry = buildEntry({ status: UNANSWERED, changes: null });
    const request = requestWith(entry);
    await actFor(request, () => opened.storage.pauses.list());
    expect((await list()).data).toEqual([]);
    await actFor(request, () => opened.storage.loginLinks.insert(LINK, HASH));
    expect((await list({ outcome: 'unanswered' })).data).toEqual([entry]);
    expect((await list({ outcome: 'done' })).data).toEqual([]);
    expect(request.isStored).toBe(true);
    const answered = { ...entry, status: 201, object: 'users/usr_2', changes: { role: 'viewer' } };
    await opened.storage.auditLog.append(answered);
    expect((await list()).data).toEqual([answered]);
    expect((await list({ object: 'users/usr_1' })).data).toEqual([]);
    // A complete entry stays as it is.
    await opened.storage.auditLog.append({ ...answered, status: 500 });
    expect((await list()).data).toEqual([answered]);
  });

  it('stores no entry with a change that fails', async () => {
    await opened.storage.loginLinks.insert(LINK, HASH);
    const request = requestWith(buildEntry({ status: UNANSWERED }));
    await expect(actFor(request, () => opened.storage.loginLinks.insert(LINK, HASH))).rejects.toThrow();
    expect((await list()).data).toEqual([]);
    expect(request.isStored).toBe(false);
  });

  it('makes no change whose entry cannot be stored', async () => {
    const entry = buildEntry({ status: UNANSWERED, clientAddress: null as never });
    await expect(actFor(requestWith(entry), () => opened.storage.loginLinks.insert(LINK, HASH))).rejects.toThrow();
    expect(await opened.storage.loginLinks.take(HASH, START_MS)).toBeNull();
  });

  it('finds an object and the objects below it, but no similar paths', async () => {
    const objects = [
      'factories/a',
      'factories/a/webhooks/w',
      'factories/a-b',
      'factories/a.b',
      'factories/ab',
      'factories',
    ];
    for (const object of objects) await opened.storage.auditLog.append(buildEntry({ object }));
    const found = (await list({ object: 'factories/a' })).data.map(({ object }) => object);
    expect(found).toEqual(['factories/a/webhooks/w', 'factories/a']);
  });

  it('filters by time and by outcome, also for one object and one actor', async () => {
    const actor = { kind: 'local', id: 'usr_1', name: 'alice' } as const;
    const statuses = [200, 403, 500, 204];
    const entries = statuses.map((status, index) =>
      buildEntry({ status, at: START_MS + index, object: 'users/usr_1', ...(index > 0 && { actor }) }),
    );
    for (const entry of entries) await opened.storage.auditLog.append(entry);
    const find = async (more: object) => (await list(more)).data.map(({ status }) => status);
    expect(await find({ outcome: 'done' })).toEqual([204, 200]);
    expect(await find({ outcome: 'refused' })).toEqual([403]);
    expect(await find({ outcome: 'failed', object: 'users' })).toEqual([500]);
    expect(await find({ fromAt: START_MS + 1, untilAt: START_MS + 3 })).toEqual([500, 403]);
    expect(await find({ object: 'users', fromAt: START_MS + 3 })).toEqual([204]);
    expect(await find({ object: 'users', actor: 'usr_1', outcome: 'done' })).toEqual([204]);
    expect(await find({ fromAt: START_MS + 4 })).toEqual([]);
    const { nextCursor } = await list({ object: 'users', limit: 2 });
    expect(await find({ object: 'users', cursor: nextCursor, untilAt: START_MS + 9 })).toEqual([403, 200]);
  });

  it('loses expired entries and no others', async () => {
    const [old, young] = [buildEntry(), buildEntry({ at: START_MS + 5 * DAY_MS })];
    for (const entry of [old, young]) await opened.storage.auditLog.append(entry);
    await opened.storage.retention.prune(POLICY, START_MS + 10 * DAY_MS);
    expect((await list()).data).toHaveLength(2);
    await opened.storage.retention.prune(POLICY, START_MS + 10 * DAY_MS + 1);
    expect((await list()).data).toEqual([young]);
  });
});

describe('an entry of the audit log in SQLite', () => {
  it('cannot be changed by any statement', () => {
    const db = new Database(':memory:');
    defineFunctions(db);
    for (const step of MIGRATIONS) db.exec(step);
    const insert =
      'INSERT INTO audit_log (id, at, method, route, object, status, client_address) VALUES (?,?,?,?,?,?,?)';
    db.prepare(insert).run('aud_1', 1, 'POST', '/', 'x', 200, '::1');
    expect(() => db.exec("UPDATE audit_log SET object = 'y'")).toThrow('do not change');
    db.close();
  });
});
