import { copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Checkpointer } from '../../src/storage/sqlite/checkpoints/checkpointer.ts';
import { openForCheckpoints } from '../../src/storage/sqlite/checkpoints/open-for-checkpoints.ts';
import { openDatabase } from '../../src/storage/sqlite/disk/open-database.ts';
import { openSqliteStorage, type SqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { applyOneOfEach } from '../helpers/build-apply.ts';
import { buildOffer } from '../helpers/build-offer.ts';
import { eventually } from '../helpers/eventually.ts';
import { useFolder } from '../helpers/with-storage.ts';

const MIB = 1024 * 1024;
/** The log has a limit of 64 MiB. A log without a limit has more than this after `LOAD_MIB`. */
const MAX_WAL_BYTES = 80 * MIB;
const LOAD_MIB = 88;
const WORKER = new URL('../../dist/storage/sqlite/checkpoints/checkpoint-worker.js', import.meta.url);
const ENDS_IMMEDIATELY = new URL('data:text/javascript,process.exit(3)');
/** Ends when it is asked for a checkpoint. */
const ENDS_AT_WORK = new URL(
  `data:text/javascript,${encodeURIComponent(
    "import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => process.exit(3));",
  )}`,
);

/** Reports that each checkpoint failed. */
const failsWith = (code: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(
      `import { parentPort } from 'node:worker_threads';
      parentPort.on('message', (message) => {
        if (message === null) parentPort.close();
        else parentPort.postMessage({ id: message.id, error: { code: '${code}', message: 'from the disk' } });
      });`,
    )}`,
  );

describe('checkpoints', () => {
  const folder = useFolder();
  const file = () => join(folder.path, 'dockbell.db');
  const walBytes = () => statSync(`${file()}-wal`).size;
  const body = 'x'.repeat(64 * 1024);

  /** Records batches of 1 MiB without a pause, as the storage thread does. Returns the largest size of the log. */
  async function load(storage: SqliteStorage, checkpointer: Checkpointer, mebibytes: number) {
    const { webhook } = await applyOneOfEach(storage);
    const ids: string[] = [];
    let largest = 0;
    for (let batch = 0; batch < mebibytes; batch += 1) {
      const offers = Array.from({ length: 16 }, () => buildOffer({ webhook, body }));
      await storage.deliveryLog.record(offers);
      ids.push(...offers.map(({ id }) => id));
      checkpointer.step();
      largest = Math.max(largest, walBytes());
      await nextTurn();
    }
    return { ids, largest };
  }

  it('keep the log within its limit under sustained load', { tags: 'full' }, async () => {
    const storage = openSqliteStorage(file());
    const checkpointer = storage.startCheckpoints(WORKER);
    const { largest } = await load(storage, checkpointer, LOAD_MIB);
    expect(largest).toBeLessThan(MAX_WAL_BYTES);
    await checkpointer.close();
    storage.close();
  });

  it('copy the pages to the file before the log has its limit, also when no more deliveries arrive', async () => {
    const storage = openSqliteStorage(file());
    const checkpointer = storage.startCheckpoints(WORKER);
    await load(storage, checkpointer, 20);
    await eventually(() => statSync(file()).size > 15 * MIB);
    await checkpointer.close();
    storage.close();
  });

  it.each([
    ['ends immediately', ENDS_IMMEDIATELY],
    ['ends at work', ENDS_AT_WORK],
  ])('keep the log within its limit and lose nothing if their thread %s', { tags: 'full' }, async (_, workerUrl) => {
    const storage = openSqliteStorage(file());
    const checkpointer = storage.startCheckpoints(workerUrl);
    const { ids, largest } = await load(storage, checkpointer, LOAD_MIB);
    expect(largest).toBeLessThan(MAX_WAL_BYTES);
    // A copy of both files is what a crash leaves behind.
    const crashed = `${file()}.crashed`;
    copyFileSync(file(), crashed);
    copyFileSync(`${file()}-wal`, `${crashed}-wal`);
    const db = new Database(crashed);
    const stored = new Set(db.prepare('SELECT id FROM deliveries').pluck().all());
    expect(ids.filter((id) => !stored.has(id))).toEqual([]);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    db.close();
    await checkpointer.close();
    storage.close();
  });

  it('report a file whose state is unknown, so that the storage stops', async () => {
    const storage = openSqliteStorage(file());
    const checkpointer = storage.startCheckpoints(failsWith('storage_broken'));
    await expect(load(storage, checkpointer, LOAD_MIB)).rejects.toMatchObject({ code: 'storage_broken' });
    await checkpointer.close();
    storage.close();
  });

  it('are tried again after a transient failure', async () => {
    const storage = openSqliteStorage(file());
    const checkpointer = storage.startCheckpoints(failsWith('storage_unavailable'));
    const { largest } = await load(storage, checkpointer, 20);
    expect(largest).toBeGreaterThan(15 * MIB);
    await checkpointer.close();
    storage.close();
  });

  it('are durable: their connection has synchronous FULL, and rejects a file without a write-ahead log', () => {
    openDatabase(file()).close();
    const db = openForCheckpoints(file());
    expect(db.pragma('synchronous', { simple: true })).toBe(2);
    db.pragma('journal_mode = DELETE');
    db.close();
    expect(() => openForCheckpoints(file())).toThrow(
      expect.objectContaining({ code: 'storage_broken', message: expect.stringContaining('journal_mode delete') }),
    );
  });
});
