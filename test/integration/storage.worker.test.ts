import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/storage/sqlite/disk/open-database.ts';
import { type StorageThread, startStorage } from '../../src/storage/thread/start-storage.ts';
import { applyOneOfEach, buildApply, buildWebhook, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer } from '../helpers/build-offer.ts';
import { useFolder } from '../helpers/with-storage.ts';

const WORKER = new URL('../../dist/storage/sqlite/thread/worker.js', import.meta.url);

describe('the storage in a separate thread', () => {
  const folder = useFolder();
  const file = () => join(folder.path, 'dockbell.db');
  const started: StorageThread[] = [];
  afterEach(async () => {
    await Promise.all(started.splice(0).map((thread) => thread.close()));
  });

  async function start(): Promise<StorageThread> {
    const thread = await startStorage(WORKER, { file: file() });
    started.push(thread);
    return thread;
  }

  it('stores and returns a delivery byte for byte', async () => {
    const { storage } = await start();
    const { webhook, version, uid } = await applyOneOfEach(storage);
    const body = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 7) & 255);
    const offer = buildOffer({ webhook, body, runs: [{ automation: 'fix-errors', version }] });
    const { id, runs } = offer;
    expect(await storage.deliveryLog.record([offer])).toEqual([{ label: 'Accepted' }]);
    expect(Buffer.compare((await storage.deliveryReader.payload(id))!, body)).toBe(0);
    const {
      inputs: [input],
    } = await storage.runQueue.claim({ factory: FACTORY, executor: 'command', limit: 1, at: 1 });
    expect(input).toMatchObject({ run: { id: runs[0]!.id, webhookUid: uid }, prompt: 'Fix it.' });
    expect(Buffer.compare(input!.payload, body)).toBe(0);
  });

  it('transfers a large body without a copy', async () => {
    const { storage } = await start();
    const { webhook } = await applyOneOfEach(storage);
    const offer = buildOffer({ webhook, body: 'x'.repeat(100_000) });
    await storage.deliveryLog.record([offer]);
    expect(offer.body.byteLength).toBe(0);
  });

  it('returns failures with the error code of the storage', async () => {
    const { storage } = await start();
    const listing = storage.deliveryReader.list({ webhookUid: 'wh_a', label: null, limit: 5, cursor: 'nonsense' });
    await expect(listing).rejects.toMatchObject({ name: 'AppError', code: 'bad_request' });
    const secret = { name: 'A', version: 1, sealed: new Uint8Array([1]), createdAt: 1, createdBy: null };
    await storage.sealedSecrets.insert(secret);
    await expect(storage.sealedSecrets.insert(secret)).rejects.toMatchObject({ name: 'AppError', code: 'conflict' });
  });

  it('separates a failing apply from concurrent deliveries', async () => {
    const { storage } = await start();
    const { webhook } = await applyOneOfEach(storage);
    // The last of these rows makes the apply fail, after awaits inside its transaction.
    const webhooks = ['a', 'b', 'c', 'c'].map((name) => buildWebhook({ name }));
    for (let round = 0; round < 20; round += 1) {
      const offer = buildOffer({ webhook });
      const { id } = offer;
      const applying = storage.inventory.apply(buildApply({ webhooks }));
      const recording = storage.deliveryLog.record([offer]);
      await expect(applying).rejects.toMatchObject({ name: 'AppError' });
      expect(await recording).toEqual([{ label: 'Accepted' }]);
      expect(await storage.deliveryReader.get(id)).toMatchObject({ label: 'Accepted' });
    }
    expect((await storage.inventory.load(FACTORY))!.webhooks).toHaveLength(1);
  });

  it('processes a batch of deliveries before waiting reads', async () => {
    const { storage } = await start();
    const { webhook, uid } = await applyOneOfEach(storage);
    await storage.deliveryLog.record(Array.from({ length: 2000 }, () => buildOffer({ webhook })));
    const order: string[] = [];
    // Each read takes much longer than the arrival of all messages.
    const request = { webhookUid: uid as 'wh_', label: null, limit: 2000, cursor: null };
    const reads = Array.from({ length: 20 }, () => storage.deliveryReader.list(request).then(() => order.push('read')));
    const recording = storage.deliveryLog.record([buildOffer({ webhook })]).then(() => order.push('batch'));
    await Promise.all([...reads, recording]);
    expect(order.indexOf('batch')).toBeLessThan(10);
  });

  it('finishes pending requests before it closes, and rejects later ones', async () => {
    const { storage, close } = await startStorage(WORKER, { file: file() });
    const { webhook } = await applyOneOfEach(storage);
    const asked = Array.from({ length: 50 }, () => storage.deliveryLog.record([buildOffer({ webhook })]));
    await close();
    expect(await Promise.all(asked)).toEqual(asked.map(() => [{ label: 'Accepted' }]));
    await expect(storage.inventory.load(FACTORY)).rejects.toMatchObject({ code: 'storage_unavailable' });
    await close();
    // Closing has checkpointed the write-ahead log.
    expect(readdirSync(folder.path).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
    const db = new Database(file(), { readonly: true });
    expect(db.prepare('SELECT count(*) FROM deliveries').pluck().get()).toBe(50);
    db.close();
  });

  it('rejects a file of a newer version with the same code, without changing it', async () => {
    openDatabase(file()).close();
    const newer = new Database(file());
    newer.pragma('user_version = 99');
    newer.close();
    const before = digest(file());
    await expect(startStorage(WORKER, { file: file() })).rejects.toMatchObject({ code: 'storage_newer' });
    expect(digest(file())).toBe(before);
  });

  it('rejects a file that is not a database', async () => {
    writeFileSync(file(), 'no database'.repeat(1000));
    const starting = startStorage(WORKER, { file: file() });
    await expect(starting).rejects.toMatchObject({ code: 'storage_damaged', message: expect.stringContaining(file()) });
  });

  it('rejects a folder that does not exist', async () => {
    const missing = join(folder.path, 'missing', 'dockbell.db');
    await expect(startStorage(WORKER, { file: missing })).rejects.toMatchObject({ code: 'storage_broken' });
  });

  it('rejects every operation after the database is damaged, even reads that could still succeed', async () => {
    const { storage, broken } = await start();
    const { webhook } = await applyOneOfEach(storage);
    await storage.deliveryLog.record([buildOffer({ webhook })]);
    const repair = damageSchema();
    const recording = storage.deliveryLog.record([buildOffer({ webhook })]);
    await expect(recording).rejects.toMatchObject({ code: 'storage_damaged' });
    expect(await broken).toMatchObject({ name: 'AppError', code: 'storage_damaged' });

    repair();
    const again = storage.deliveryLog.record([buildOffer({ webhook })]);
    await expect(again).rejects.toMatchObject({ code: 'storage_damaged' });
    await expect(storage.inventory.load(FACTORY)).rejects.toMatchObject({ code: 'storage_damaged' });
    const db = new Database(file(), { readonly: true });
    expect(db.prepare('SELECT count(*) FROM deliveries').pluck().get()).toBe(1);
    db.close();
  });

  /** Makes the schema of a table invalid, so that the next statement finds the database damaged. */
  function damageSchema(): () => void {
    const db = new Database(file());
    db.unsafeMode(true);
    const setRoot = (page: number) => {
      db.pragma('writable_schema = ON');
      db.prepare("UPDATE sqlite_schema SET rootpage = ? WHERE name = 'deliveries'").run(page);
      db.pragma(`schema_version = ${(db.pragma('schema_version', { simple: true }) as number) + 1}`);
    };
    const root = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'deliveries'").pluck().get() as number;
    setRoot(9_999_999);
    return () => {
      setRoot(root);
      db.close();
    };
  }
});

function digest(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
