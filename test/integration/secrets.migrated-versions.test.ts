import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { MIGRATIONS } from '../../src/storage/sqlite/migrations.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { useFolder } from '../helpers/with-storage.ts';

const HISTORY = MIGRATIONS.findIndex((step) => step.includes('ADD COLUMN replaced_by'));
const folder = useFolder();

it('a database of an earlier version keeps its secrets, with what the audit log knows about their versions', async () => {
  const file = join(folder.path, 'dockbell.db');
  const older = new Database(file);
  for (const step of MIGRATIONS.slice(0, HISTORY)) older.exec(step);
  older.pragma(`user_version = ${HISTORY}`);
  older.exec("INSERT INTO secret_names VALUES ('CI', 3, 3, 1000, 50000), ('CI_2', 1, 1, 1000, 1000)");
  const version = older.prepare('INSERT INTO secret_versions (name, version, sealed, created_at) VALUES (?, ?, ?, ?)');
  for (const [name, number, at] of [
    ['CI', 1, 1_000],
    ['CI', 2, 20_000],
    ['CI', 3, 50_000],
    ['CI_2', 1, 1_000],
  ]) {
    version.run(name, number, Buffer.from([Number(number)]), at);
  }
  const entry = older.prepare(
    "INSERT INTO audit_log (seq, id, at, actor_name, method, route, object, status, client_address) VALUES (?, ?, ?, ?, ?, '', ?, ?, '')",
  );
  const object = older.prepare('INSERT INTO audit_objects (object, entry) VALUES (?, ?)');
  for (const [seq, at, actor, method, changed, status] of [
    [1, 1_002, 'alice', 'PUT', 'secrets/CI', 201],
    [2, 19_999, 'early', 'PUT', 'secrets/CI', 409],
    [3, 20_001, 'nobody', 'PUT', 'secrets/CI', 403],
    [4, 20_003, 'bob', 'PUT', 'secrets/CI', 200],
    [5, 61_000, 'late', 'PUT', 'secrets/CI', 200],
  ]) {
    entry.run(seq, `aud_${seq}`, at, actor, method, changed, status);
    object.run(changed, seq);
  }
  older.close();

  const storage = openSqliteStorage(file);
  const history = (await storage.sealedSecrets.versions('CI', 9)).map(({ sealed, ...row }) => [...sealed, row]);
  expect(history).toEqual([
    [3, { name: 'CI', version: 3, createdAt: 50_000, createdBy: null, replacedAt: null, replacedBy: null }],
    [2, { name: 'CI', version: 2, createdAt: 20_000, createdBy: 'bob', replacedAt: 50_000, replacedBy: null }],
    [1, { name: 'CI', version: 1, createdAt: 1_000, createdBy: 'alice', replacedAt: 20_000, replacedBy: 'bob' }],
  ]);
  expect(await storage.sealedSecrets.versions('CI_2', 9)).toMatchObject([{ createdBy: null, replacedAt: null }]);
  storage.close();
});
