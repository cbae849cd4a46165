import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createSpaceGuard } from '../../src/storage/sqlite/disk/space-guard.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { applyOneOfEach, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, START_MS } from '../helpers/build-offer.ts';
import { mountTmpfs, type SmallDisk } from '../helpers/small-disk.ts';

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;
const POLICY = { deliveriesMs: 1, minDeliveries: 1, identitiesMs: 1, runsMs: 1, auditMs: 1, secretVersionsMs: 1 };

const probe = mountTmpfs(1);
probe?.remove();

describe.skipIf(probe === null)('a storage on a small file system', () => {
  let disk: SmallDisk;
  let now = 0;
  afterEach(() => disk.remove());

  /** A storage that measures the disk before each batch. */
  async function open() {
    const file = join(disk.path, 'dockbell.db');
    const monotonicMs = () => {
      now += 1000;
      return now;
    };
    const storage = openSqliteStorage(file, createSpaceGuard(file, { monotonicMs }));
    if ((await storage.inventory.load(FACTORY)) === null) await applyOneOfEach(storage);
    const webhook = (await storage.inventory.load(FACTORY))!.webhooks[0]!.ref;
    const accept = async () =>
      storage.deliveryLog.record([buildOffer({ webhook, body: 'x'.repeat(MIB) })]).then(
        () => true,
        (error) => {
          expect(error).toMatchObject({ code: 'storage_unavailable' });
          return false;
        },
      );
    const fill = async () => {
      let count = 0;
      while (await accept()) count += 1;
      return count;
    };
    const prune = async () => {
      while ((await storage.retention.prune(POLICY, START_MS + HOUR_MS)).more);
    };
    return { file, storage, accept, fill, prune };
  }

  it('accepts deliveries after retention has removed rows, even if the file does not shrink', async () => {
    disk = mountTmpfs(110)!;
    const { storage, accept, fill, prune } = await open();
    expect(await fill()).toBeGreaterThan(40);
    await prune();
    expect(await accept()).toBe(true);
    expect(await fill()).toBeGreaterThan(40);
    await prune();
    while ((await storage.retention.reclaim()).more);
    expect(disk.freeBytes()).toBeGreaterThan(50 * MIB);
    expect(await fill()).toBeGreaterThan(40);
    storage.close();
  });

  it('accepts deliveries after other files filled the disk and were removed', async () => {
    disk = mountTmpfs(110)!;
    const { file, storage, accept } = await open();
    for (let count = 0; count < 20; count += 1) expect(await accept()).toBe(true);
    const filler = disk.fill();
    expect(await accept()).toBe(false);
    expect(await accept()).toBe(false);
    rmSync(filler);
    expect(await accept()).toBe(true);
    expect(statSync(`${file}.ballast`).size).toBe(16 * MIB);
    storage.close();
  });

  it('removes rows, returns their space and accepts deliveries while the rest of the disk remains full', async () => {
    disk = mountTmpfs(160)!;
    const { storage, accept, prune } = await open();
    for (let count = 0; count < 60; count += 1) expect(await accept()).toBe(true);
    disk.fill();
    expect(await accept()).toBe(false);
    await prune();
    while ((await storage.retention.reclaim()).more);
    expect(disk.freeBytes()).toBeGreaterThan(30 * MIB);
    expect(await accept()).toBe(true);
    storage.close();
  });

  it('removes a few rows per call without ballast and with little space', async () => {
    disk = mountTmpfs(160)!;
    const first = await open();
    for (let count = 0; count < 100; count += 1) expect(await first.accept()).toBe(true);
    first.storage.close();
    const { file, storage, accept, prune } = await open();
    rmSync(`${file}.ballast`, { force: true });
    disk.fill(192 * 1024);
    expect(await accept()).toBe(false);
    await prune();
    while ((await storage.retention.reclaim()).more);
    expect(await accept()).toBe(true);
    storage.close();
  });

  it('opens on a full disk, and recovers', async () => {
    disk = mountTmpfs(160)!;
    const first = await open();
    for (let count = 0; count < 60; count += 1) expect(await first.accept()).toBe(true);
    first.storage.close();
    disk.fill();
    const { storage, accept, prune } = await open();
    expect(await accept()).toBe(false);
    await prune();
    while ((await storage.retention.reclaim()).more);
    expect(await accept()).toBe(true);
    storage.close();
  });
});
