import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { MIGRATIONS } from '../../src/storage/sqlite/migrations.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { useFolder } from '../helpers/with-storage.ts';

const HISTORY = MIGRATIONS.findIndex((step) => step.includes('CREATE TABLE listener_history'));
const folder = useFolder();

const webhookTrigger = (payload: object | null) => ({ provider: 'webhook', event: 'received', payload });

const AUTOMATIONS = [
  [
    'both',
    1,
    [webhookTrigger({ n: [1.5] }), webhookTrigger(null)],
    [
      ['wh_a', 'wh_a'],
      ['wh_b', 'wh_a'],
    ],
  ],
  ['off', 0, [{ provider: 'slack', declared: {} }, webhookTrigger({ level: ['error'] })], [[], ['wh_b']]],
  ['unheard', 1, [webhookTrigger(null)], [[]]],
] as const;

it('a database of an earlier version starts with the listeners of its live definitions', async () => {
  const file = join(folder.path, 'dockbell.db');
  const older = new Database(file);
  for (const step of MIGRATIONS.slice(0, HISTORY)) older.exec(step);
  older.pragma(`user_version = ${HISTORY}`);
  older.exec("INSERT INTO factories (name, applied_revision, created_at) VALUES ('f', 'c0ffee', 1), ('new', NULL, 1)");
  const version = older.prepare(
    "INSERT INTO automation_versions (factory, name, digest, prompt, overrides) VALUES ('f', ?, '', '', '{}')",
  );
  const automation = older.prepare(
    "INSERT INTO automations (factory, name, file, enabled, triggers, listens_to, version, updated_at) VALUES ('f', ?, '', ?, ?, ?, ?, 1)",
  );
  for (const [name, enabled, triggers, listensTo] of AUTOMATIONS) {
    const { lastInsertRowid } = version.run(name);
    automation.run(name, enabled, JSON.stringify(triggers), JSON.stringify(listensTo), lastInsertRowid);
  }
  older.close();

  const storage = openSqliteStorage(file);
  const listeners = (webhook: 'wh_a' | 'wh_b') =>
    storage.deliveryReader.listeners({ webhook, applyNumber: 1, names: null, after: null, limit: 10 });
  expect((await storage.inventory.load('f'))?.applyNumber).toBe(1);
  expect((await storage.inventory.load('new'))?.applyNumber).toBe(0);
  expect(await listeners('wh_a')).toEqual([
    { automation: 'both', enabled: true, filters: [{ payload: { n: [1.5] } }, {}] },
  ]);
  expect(await listeners('wh_b')).toEqual([
    { automation: 'both', enabled: true, filters: [{}] },
    { automation: 'off', enabled: false, filters: [{ payload: { level: ['error'] } }] },
  ]);
  storage.close();
});
