import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/storage/sqlite/disk/open-database.ts';
import { MIGRATIONS } from '../../src/storage/sqlite/migrations.ts';
import { createSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { useFolder } from '../helpers/with-storage.ts';

const folder = useFolder();

/** Opens a file of the version before the tables, after `sql`. */
function migrate(sql: string) {
  const file = join(folder.path, 'older.db');
  const step = MIGRATIONS.findIndex((one) => one.includes('CREATE TABLE webhook_traffic'));
  const older = openDatabase(file, MIGRATIONS.slice(0, step));
  older.pragma('foreign_keys = OFF');
  older.exec(sql);
  older.close();
  return openDatabase(file);
}

const WEBHOOK = (ref: number) => `
  INSERT INTO webhooks (ref, uid, factory, name, file, auth_mode, secret_name, secret_version, enabled, created_at, updated_at)
  VALUES (${ref}, 'wh_${ref}', 'payments', 'hook-${ref}', '', 'token', 'A', 1, 1, 1, 1);`;

it('the traffic of webhooks is taken from the log and from departed deliveries, and counts each delivery once', async () => {
  const db = migrate(`
    INSERT INTO factories (name, created_at) VALUES ('payments', 1);
    ${[1, 2, 3, 4].map(WEBHOOK).join('')}
    INSERT INTO deliveries (seq, id, webhook, label, reason, size, count, received_at, client_address, replay_of) VALUES
      (1, 'dlv_1', 1, 2, 'bad_credential', 1, 1, 10, '', NULL), (2, 'dlv_2', 1, 0, NULL, 1, 1, 20, '', NULL),
      (3, 'dlv_3', 1, 1, 'same_identity', 1, 1, 30, '', NULL), (4, 'dlv_4', 1, 0, NULL, 1, 1, 40, '', 'dlv_2'),
      (5, 'dlv_5', 1, 2, 'bad_credential', 1, 1, 50, '', NULL), (6, 'dlv_6', 1, 2, 'stale_timestamp', 1, 5, 60, '', NULL),
      (7, 'dlv_7', 2, 2, 'bad_signature', 1, 1, 70, '', NULL), (8, 'dlv_8', 4, 0, NULL, 1, 1, 80, '', NULL),
      (9, 'dlv_9', 1, 2, 'missing_header', 1, 1, 90, '', NULL);
    INSERT INTO delivery_listing (webhook, label, seq) SELECT webhook, label, seq FROM deliveries WHERE seq < 9;
    UPDATE delivery_listing_end SET seq = 8;
    INSERT INTO identities (seq, webhook, source, key, delivery, body_hash, accepted_at) VALUES (1, 3, 0, 'a', 'dlv_0', x'00', 5);`);
  const listed = await createSqliteStorage(db).inventoryReader.webhooks('payments');
  expect(listed.map(({ traffic }) => traffic)).toEqual([
    { lastAcceptedAt: 20, credentialFailure: { since: 50, lastAt: 90, count: 7, reason: 'missing_header' } },
    { lastAcceptedAt: null, credentialFailure: { since: 70, lastAt: 70, count: 1, reason: 'bad_signature' } },
    { lastAcceptedAt: 5, credentialFailure: null },
    { lastAcceptedAt: 80, credentialFailure: null },
  ]);
  db.close();
});

it('the results of automations are taken from the stored runs', async () => {
  const run = (seq: number, automation: string, state: string, finishedAt: number | null) =>
    `(${seq}, 'run_${seq}', 'payments', '${automation}', 1, ${seq}, '', '', 1, '${state}', 1, ${finishedAt})`;
  const many = Array.from({ length: 25 }, (_, index) =>
    run(20 + index, 'many', index < 4 ? 'succeeded' : 'failed', index),
  );
  const db = migrate(`
    INSERT INTO factories (name, created_at) VALUES ('payments', 1);
    INSERT INTO automation_versions (version, factory, name, digest, prompt, overrides) VALUES (1, 'payments', 'a', '', '', '{}');
    INSERT INTO automations (factory, name, file, enabled, triggers, listens_to, version, updated_at)
      SELECT 'payments', value, '', 1, '[]', '[]', 1, 1 FROM json_each('["few", "many", "none"]');
    INSERT INTO runs (seq, id, factory, automation, version, delivery, delivery_id, delivery_identity, webhook, state,
      created_at, finished_at) VALUES
      ${run(1, 'few', 'failed', 10)}, ${run(2, 'few', 'succeeded', 30)}, ${run(3, 'few', 'failed', 20)},
      ${run(4, 'few', 'failed', 40)}, ${run(5, 'few', 'cancelled', 50)}, ${run(6, 'few', 'running', null)},
      ${run(7, 'deleted', 'failed', 60)}, ${many.join(', ')};`);
  const listed = await createSqliteStorage(db).inventoryReader.automations('payments');
  expect(Object.fromEntries(listed.map(({ name, results }) => [name, results]))).toEqual({
    few: {
      lastRun: { id: 'run_5', state: 'cancelled', finishedAt: 50 },
      recent: 4,
      recentFailed: 3,
      failedInARow: 1,
      failingSince: 40,
    },
    many: {
      lastRun: { id: 'run_44', state: 'failed', finishedAt: 24 },
      recent: 20,
      recentFailed: 20,
      failedInARow: 20,
      failingSince: 4,
    },
    none: { lastRun: null, recent: 0, recentFailed: 0, failedInARow: 0, failingSince: null },
  });
  db.close();
});
