import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/domain/ports/delivery-log.ts';
import { openDatabase } from '../../src/storage/sqlite/disk/open-database.ts';
import { MIGRATIONS } from '../../src/storage/sqlite/migrations.ts';
import { createSqliteStorage, type SqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { applyFactory, buildWebhook, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, buildRejection, buildReplay, START_MS } from '../helpers/build-offer.ts';
import { useFolder } from '../helpers/with-storage.ts';

const POLICY = {
  deliveriesMs: HOUR_MS,
  minDeliveries: 3,
  identitiesMs: HOUR_MS,
  runsMs: 1,
  auditMs: 1,
  secretVersionsMs: 1,
};

describe('the listing of deliveries', () => {
  const folder = useFolder();
  let db: Database.Database;
  let storage: SqliteStorage;
  let refs: number[];

  beforeEach(async () => {
    db = openDatabase(join(folder.path, 'dockbell.db'));
    storage = createSqliteStorage(db);
    const webhooks = ['a', 'b', 'c'].map((name) => buildWebhook({ name }));
    refs = (await applyFactory(storage, { webhooks })).webhooks.map(({ ref }) => ref);
  });
  afterEach(() => db.close());

  /** Records a batch with all kinds of entries, for all webhooks and over several hours. */
  function record(count: number) {
    const batch = Array.from({ length: count }, (_, index) => {
      const webhook = refs[index % refs.length]!;
      const at = START_MS + index * 60_000;
      if (index % 10 === 3) return buildRejection({ webhook, at, count: 5 });
      if (index % 10 === 5) return buildReplay(buildOffer({ webhook }), { webhook, at });
      return buildOffer({ webhook, at, ...(index % 10 === 7 && { key: 'repeated' }) });
    });
    return storage.deliveryLog.record(batch);
  }

  const read = (sql: string) => db.prepare(sql).raw().all();
  const listed = () => read('SELECT webhook, label, seq FROM delivery_listing ORDER BY 1, 2, 3');
  const counted = () => read('SELECT webhook, hour, label, count FROM delivery_counts ORDER BY 1, 2, 3');
  const logged = () => read('SELECT webhook, label, seq FROM deliveries ORDER BY 1, 2, 3');
  const sums = () =>
    read(
      `SELECT webhook, received_at / ${HOUR_MS}, label, sum(count) FROM deliveries WHERE replay_of IS NULL
       GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    );
  const list = () => storage.deliveryReader.list({ factory: FACTORY, label: null, limit: 10_000, cursor: null });

  it('is extended for many deliveries together, without a reader', async () => {
    await record(1000);
    expect(listed()).toEqual([]);
    await record(1000);
    expect(listed()).toEqual(logged());
    expect(counted()).toEqual(sums());
    await record(1000);
    expect(listed()).toHaveLength(2000);
  });

  it('contains every delivery when it is read', async () => {
    await record(100);
    expect((await list()).data).toHaveLength(100);
    expect(listed()).toEqual(logged());
    expect(counted()).toEqual(sums());
    await record(9000);
    const span = { factory: FACTORY, fromAt: 0, untilAt: 2 * START_MS };
    const counts = await storage.activityReader.deliveries(span);
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(0.8 * 9100 + 0.1 * 9100 * 5);
  });

  it('loses the deliveries that retention removes', async () => {
    await record(300);
    while ((await storage.retention.prune(POLICY, START_MS + 100 * HOUR_MS)).more);
    expect(logged()).toHaveLength(3 * refs.length);
    expect(listed()).toEqual(logged());
  });

  it('is not extended by a batch that fails', async () => {
    await record(1000);
    db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`);
    await expect(record(500)).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(listed()).toEqual([]);
    db.pragma('max_page_count = 100000');
    await record(500);
    expect(listed()).toEqual(logged());
    expect(counted()).toEqual(sums());
  });

  it('answers with the last deliveries on a full disk, which it cannot extend', async () => {
    await record(500);
    await list();
    await record(1000);
    db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`);
    expect((await list()).data).toHaveLength(1500);
    const span = { factory: FACTORY, fromAt: 0, untilAt: START_MS + 1000 * HOUR_MS };
    const counts = await storage.activityReader.deliveries(span);
    const traffic = await storage.inventoryReader.webhooks(FACTORY);
    expect(counts).toHaveLength(sums().length);
    expect(counted().length).toBeLessThan(sums().length);
    db.pragma('max_page_count = 100000');
    expect((await list()).data).toHaveLength(1500);
    expect(await storage.activityReader.deliveries(span)).toEqual(expect.arrayContaining(counts));
    expect(counted()).toEqual(sums());
    expect(await storage.inventoryReader.webhooks(FACTORY)).toEqual(traffic);
  });

  it('contains the deliveries of a file that had an index', async () => {
    const step = MIGRATIONS.findIndex((sql) => sql.includes('delivery_listing'));
    const file = join(folder.path, 'older.db');
    const older = openDatabase(file, MIGRATIONS.slice(0, step));
    older.exec(`
      INSERT INTO deliveries (seq, id, webhook, label, size, received_at, client_address)
      VALUES (4, 'dlv_a', 1, 0, 1, 1, ''), (6, 'dlv_b', 1, 2, 1, 1, '')`);
    older.close();
    const migrated = openDatabase(file);
    expect(migrated.prepare('SELECT * FROM delivery_listing').raw().all()).toEqual([
      [1, 0, 4],
      [1, 2, 6],
    ]);
    expect(migrated.prepare('SELECT seq FROM delivery_listing_end').pluck().all()).toEqual([6]);
    migrated.close();
  });
});
