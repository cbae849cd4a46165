import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/storage/sqlite/disk/open-database.ts';
import { createSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { applyOneOfEach } from '../helpers/build-apply.ts';
import { buildOffer, START_MS } from '../helpers/build-offer.ts';
import { useFolder } from '../helpers/with-storage.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const POLICY = {
  deliveriesMs: 7 * DAY_MS,
  minDeliveries: 5,
  identitiesMs: 7 * DAY_MS,
  runsMs: 30 * DAY_MS,
  auditMs: 365 * DAY_MS,
  secretVersionsMs: 30 * DAY_MS,
};

describe('retention in a SQLite file', () => {
  const folder = useFolder();

  it('removes every part of an expired delivery and reuses its pages (threat model D10)', async () => {
    const db = openDatabase(join(folder.path, 'dockbell.db'));
    const storage = createSqliteStorage(db);
    const { webhook } = await applyOneOfEach(storage);
    const fill = () =>
      storage.deliveryLog.record(Array.from({ length: 200 }, () => buildOffer({ webhook, body: 'x'.repeat(20_000) })));
    await fill();
    const pages = db.pragma('page_count', { simple: true }) as number;
    while ((await storage.retention.prune(POLICY, START_MS + 8 * DAY_MS)).more);
    const count = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
    expect(['deliveries', 'delivery_contents', 'identities'].map(count)).toEqual([5, 5, 0]);
    await fill();
    expect(db.pragma('page_count', { simple: true })).toBeLessThan(pages * 1.1);
    storage.close();
  });

  it('removes in the next pass the rows that it could not remove on a full disk', async () => {
    const db = openDatabase(join(folder.path, 'dockbell.db'));
    const storage = createSqliteStorage(db);
    const { webhook } = await applyOneOfEach(storage);
    await storage.deliveryLog.record(Array.from({ length: 20 }, () => buildOffer({ webhook })));
    db.exec("CREATE TRIGGER full BEFORE DELETE ON deliveries BEGIN SELECT RAISE(ABORT, 'full'); END");
    const prune = () => storage.retention.prune(POLICY, START_MS + 8 * DAY_MS);
    await expect(prune()).rejects.toThrow('full');
    db.exec('DROP TRIGGER full');
    await prune();
    expect(db.prepare('SELECT count(*) FROM deliveries').pluck().get()).toBe(5);
    storage.close();
  });
});
