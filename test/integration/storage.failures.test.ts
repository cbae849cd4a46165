import { closeSync, existsSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/storage/sqlite/disk/open-database.ts';
import { createSpaceGuard } from '../../src/storage/sqlite/disk/space-guard.ts';
import { createQueryBuilder } from '../../src/storage/sqlite/query-builder.ts';
import { createSqliteStorage, openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { applyOneOfEach, buildApply, buildWebhook, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer } from '../helpers/build-offer.ts';
import { useFolder } from '../helpers/with-storage.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

describe('a storage that cannot write', () => {
  const folder = useFolder();
  const file = () => join(folder.path, 'dockbell.db');
  const ballast = () => `${file()}.ballast`;

  /** A storage whose database cannot grow, which SQLite treats as a full disk. */
  async function openFull(space?: ReturnType<typeof createSpaceGuard>) {
    const db = openDatabase(file());
    const storage = createSqliteStorage(db, space);
    const { webhook, version } = await applyOneOfEach(storage);
    const pages = db.pragma('page_count', { simple: true }) as number;
    db.pragma(`max_page_count = ${pages + 4}`);
    const runs = [{ automation: 'fix-errors', version }];
    const count = (table: string) => db.prepare(`SELECT count(*) AS n FROM ${table}`).pluck().get();
    return { db, storage, webhook, runs, count };
  }

  it('rejects a complete batch on a full disk, and accepts it when there is space', async () => {
    const { db, storage, webhook, runs, count } = await openFull();
    const small = () => buildOffer({ webhook, key: 'small', body: '1', runs });
    const large = () => buildOffer({ webhook, key: 'large', body: 'x'.repeat(200_000), runs });
    const writing = storage.deliveryLog.record([small(), large()]);
    await expect(writing).rejects.toMatchObject({ name: 'AppError', code: 'storage_unavailable' });
    expect(['identities', 'deliveries', 'delivery_contents', 'runs'].map(count)).toEqual([0, 0, 0, 0]);
    expect(db.inTransaction).toBe(false);

    db.pragma('max_page_count = 100000');
    const accepted = { label: 'Accepted' };
    expect(await storage.deliveryLog.record([small(), large()])).toEqual([accepted, accepted]);
    storage.close();
  });

  it('reports a full disk as the cause of a failed transaction of the query builder', async () => {
    const { db, storage } = await openFull();
    const webhooks = [buildWebhook({ name: 'new', description: 'x'.repeat(200_000) })];
    const applying = storage.inventory.apply(buildApply({ revision: 'bad', webhooks }));
    await expect(applying).rejects.toMatchObject({ name: 'AppError', code: 'storage_unavailable' });
    expect(db.inTransaction).toBe(false);
    expect(await storage.inventory.load(FACTORY)).toMatchObject({ revision: 'c0ffee', webhooks: [{}] });
    storage.close();
  });

  it('reports the cause of a failed transaction that SQLite rolled back automatically', async () => {
    const db = openDatabase(file());
    const transaction = createQueryBuilder(db)
      .query.transaction()
      .execute(async (trx) => {
        await trx.insertInto('factories').values({ name: 'f', created_at: 1 }).execute();
        await sql`INSERT OR ROLLBACK INTO factories (name, created_at) VALUES ('f', 2)`.execute(trx);
      });
    await expect(transaction).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_PRIMARYKEY' });
    expect(db.prepare('SELECT count(*) FROM factories').pluck().get()).toBe(0);
    db.close();
  });

  it('releases its ballast on a full disk', async () => {
    const room = { freeBytes: 100 * GIB, totalBytes: 200 * GIB };
    const space = createSpaceGuard(file(), { measureSpace: () => room });
    const { storage, webhook } = await openFull(space);
    expect(existsSync(ballast())).toBe(true);
    const writing = storage.deliveryLog.record([buildOffer({ webhook, body: 'x'.repeat(200_000) })]);
    await expect(writing).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(existsSync(ballast())).toBe(false);
    storage.close();
  });

  it('rejects deliveries while little space is free, but performs all other operations', async () => {
    const space = { freeBytes: 100 * MIB, totalBytes: 200 * GIB };
    let nowMs = 0;
    const guard = createSpaceGuard(file(), { measureSpace: () => space, monotonicMs: () => nowMs });
    const storage = openSqliteStorage(file(), guard);
    const { webhook } = await applyOneOfEach(storage);
    await expect(storage.deliveryLog.record([buildOffer({ webhook })])).rejects.toMatchObject({
      code: 'storage_unavailable',
      message: expect.stringContaining('not enough free space: 100 MiB'),
    });
    space.freeBytes = 100 * GIB;
    nowMs += 1000;
    expect(await storage.deliveryLog.record([buildOffer({ webhook })])).toEqual([{ label: 'Accepted' }]);
    storage.close();
  });

  it('fails with storage_broken if it has no permission to write', async () => {
    const db = openDatabase(file());
    const storage = createSqliteStorage(db);
    const { webhook } = await applyOneOfEach(storage);
    // File permissions do not restrict root.
    db.pragma('query_only = ON');
    const writing = storage.deliveryLog.record([buildOffer({ webhook })]);
    await expect(writing).rejects.toMatchObject({ name: 'AppError', code: 'storage_broken' });
    const registering = storage.inventory.register('other', 1);
    await expect(registering).rejects.toMatchObject({ name: 'AppError', code: 'storage_broken' });
    storage.close();
  });

  it('fails with storage_damaged if the file is damaged', async () => {
    const storage = openSqliteStorage(file());
    const { uid } = await applyOneOfEach(storage);
    storage.close();
    // The first page stays intact, so that the file can be opened. All others are overwritten.
    const torn = statSync(file()).size - 4096;
    const db = openDatabase(file());
    const reopened = createSqliteStorage(db);
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.pragma('cache_size = 0');
    db.pragma('shrink_memory');
    overwrite(file(), 4096, torn);
    const reading = reopened.inventoryReader.webhook(uid as 'wh_');
    await expect(reading).rejects.toMatchObject({ name: 'AppError', code: 'storage_damaged' });
    db.close();
  });

  it('does not wait forever: a database that another process has locked is unavailable, not broken', async () => {
    const db = openDatabase(file());
    const storage = createSqliteStorage(db);
    const { webhook } = await applyOneOfEach(storage);
    db.pragma('busy_timeout = 0');
    const other = new Database(file());
    other.exec('BEGIN IMMEDIATE');
    const writing = storage.deliveryLog.record([buildOffer({ webhook })]);
    await expect(writing).rejects.toMatchObject({ code: 'storage_unavailable' });
    other.close();
    expect(await storage.deliveryLog.record([buildOffer({ webhook })])).toEqual([{ label: 'Accepted' }]);
    storage.close();
  });
});

function overwrite(file: string, offset: number, bytes: number): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(bytes, 0x5a), 0, bytes, offset);
  closeSync(descriptor);
}
