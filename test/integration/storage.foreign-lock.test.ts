import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { WebhookUid } from '../../src/domain/ids.ts';
import { HOUR_MS } from '../../src/domain/ports/delivery-log.ts';
import { type StorageThread, startStorage } from '../../src/storage/thread/start-storage.ts';
import { applyOneOfEach, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, START_MS } from '../helpers/build-offer.ts';
import { type ForeignLock, lockDatabase } from '../helpers/database-lock.ts';
import { eventually } from '../helpers/eventually.ts';
import { useFolder } from '../helpers/with-storage.ts';

const WORKER = new URL('../../dist/storage/sqlite/thread/worker.js', import.meta.url);
/** SQLite waits for 5 seconds inside a statement, and all operations with it. */
const UNDELAYED_MS = 2_500;

describe('the storage thread while another process holds the write lock', () => {
  const folder = useFolder();
  const file = () => join(folder.path, 'dockbell.db');
  let thread: StorageThread;
  let held: ForeignLock | null = null;

  afterEach(async () => {
    await held?.release();
    held = null;
    await thread.close();
  });

  async function startLocked() {
    thread = await startStorage(WORKER, { file: file() });
    const { webhook, uid } = await applyOneOfEach(thread.storage);
    const earlier = buildOffer({ webhook });
    await thread.storage.deliveryLog.record([earlier]);
    held = await lockDatabase(file());
    return { webhook, uid, earlier, storage: thread.storage };
  }

  it('answers reads while writes wait, and stores each of them once when the lock is free', async () => {
    const { webhook, uid, earlier, storage } = await startLocked();
    const changes: boolean[] = [];
    thread.lock.onChange(() => changes.push(thread.lock.isForeign));
    const settled: string[] = [];
    const recorded = storage.deliveryLog.record([buildOffer({ webhook })]).finally(() => settled.push('record'));
    const noted = storage.retention.noteMark({ passedAtMs: 1, horizonMs: 1 }).finally(() => settled.push('noteMark'));

    const startedAt = performance.now();
    expect((await storage.inventoryReader.factories()).map(({ name }) => name)).toEqual([FACTORY]);
    expect(await storage.deliveryReader.get(earlier.id)).toMatchObject({ label: 'Accepted' });
    expect(performance.now() - startedAt).toBeLessThan(UNDELAYED_MS);
    await eventually(() => thread.lock.isForeign);
    expect(settled).toEqual([]);
    // Recorded just before the lock, and read by nobody since then.
    const listed = () =>
      storage.deliveryReader.list({ webhookUid: uid as WebhookUid, label: null, limit: 5, cursor: null });
    expect((await listed()).data).toMatchObject([{ id: earlier.id }]);
    const hour = { factory: FACTORY, fromAt: START_MS - HOUR_MS, untilAt: START_MS + HOUR_MS };
    expect(await storage.activityReader.deliveries(hour)).toMatchObject([{ label: 'Accepted', count: 1 }]);
    const traffic = async () => (await storage.inventoryReader.webhook(uid as WebhookUid))!.traffic;
    for (let read = 0; read < 2; read += 1) expect(await traffic()).toMatchObject({ lastAcceptedAt: START_MS });

    await held!.release();
    expect(await recorded).toEqual([{ label: 'Accepted' }]);
    await noted;
    await eventually(() => !thread.lock.isForeign);
    expect(changes).toEqual([true, false]);
    expect((await listed()).data).toHaveLength(2);
    expect(await storage.activityReader.deliveries(hour)).toMatchObject([{ label: 'Accepted', count: 2 }]);
  });
});
