import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { MIGRATIONS } from '../../src/storage/sqlite/migrations.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { useFolder } from '../helpers/with-storage.ts';

const SCOPES = MIGRATIONS.findIndex((step) => step.includes('ADD COLUMN run_factories'));
const folder = useFolder();

/** A database of the version before scopes, with these factories and a secret for each name. */
function createOlder(file: string, factories: readonly string[], secrets: readonly string[]): Database.Database {
  const older = new Database(file);
  for (const step of MIGRATIONS.slice(0, SCOPES)) older.exec(step);
  older.pragma(`user_version = ${SCOPES}`);
  const factory = older.prepare('INSERT INTO factories (name, created_at) VALUES (?, 1)');
  for (const name of factories) factory.run(name);
  const secret = older.prepare('INSERT INTO secret_names VALUES (?, 1, 1, 1000, 1000)');
  for (const name of secrets) secret.run(name);
  return older;
}

async function migrate(file: string) {
  const storage = openSqliteStorage(file);
  const secrets = await storage.sealedSecrets.list();
  storage.close();
  return Object.fromEntries(secrets.map(({ name, scope }) => [name, scope]));
}

it('a secret of an earlier version gets the scope of what uses it, for each use', async () => {
  const file = join(folder.path, 'dockbell.db');
  const names = ['HOOK', 'BOTH', 'RUN', 'SPLIT', 'VERIFY', 'DELETED', 'EARLIER', 'UNUSED'];
  const older = createOlder(file, ['payments', 'billing'], names);
  const webhook = older.prepare(
    `INSERT INTO webhooks (uid, factory, name, file, auth_mode, secret_name, secret_version, verify_token_secret_name,
      verify_token_secret_version, enabled, created_at, updated_at, deleted_at)
      VALUES (?, ?, ?, '', 'token', ?, 1, ?, 1, 0, 1, 1, ?)`,
  );
  for (const [factory, name, secret, verify, deletedAt] of [
    ['payments', 'a', 'HOOK', null, null],
    ['payments', 'b', 'HOOK', 'VERIFY', null],
    ['payments', 'c', 'BOTH', null, null],
    ['billing', 'c', 'BOTH', null, null],
    ['payments', 'd', 'SPLIT', null, null],
    ['payments', 'e', 'DELETED', null, 5],
  ] as const) {
    webhook.run(`wh_${factory}_${name}`, factory, name, secret, verify, deletedAt);
  }
  const version = older.prepare(
    "INSERT INTO automation_versions (version, factory, name, digest, prompt, overrides) VALUES (?, ?, ?, ?, '', ?)",
  );
  const automation = older.prepare(
    "INSERT INTO automations (factory, name, file, enabled, triggers, listens_to, version, updated_at) VALUES (?, ?, '', 0, '[]', '[]', ?, 1)",
  );
  version.run(1, 'payments', 'x', 'old', '{"secrets": ["EARLIER"]}');
  version.run(2, 'payments', 'x', 'new', '{"secrets": ["RUN", "BOTH", 7]}');
  version.run(3, 'billing', 'x', 'new', '{"secrets": ["SPLIT", "RUN"], "note": "HOOK"}');
  version.run(4, 'billing', 'y', 'new', '{"secrets": "HOOK"}');
  for (const [factory, name, number] of [
    ['payments', 'x', 2],
    ['billing', 'x', 3],
    ['billing', 'y', 4],
  ]) {
    automation.run(factory, name, number);
  }
  older.close();

  expect(await migrate(file)).toEqual({
    HOOK: { webhook: ['payments'], run: [] },
    VERIFY: { webhook: ['payments'], run: [] },
    BOTH: { webhook: ['billing', 'payments'], run: ['payments'] },
    RUN: { webhook: [], run: ['billing', 'payments'] },
    SPLIT: { webhook: ['payments'], run: ['billing'] },
    DELETED: { webhook: [], run: [] },
    EARLIER: { webhook: [], run: [] },
    UNUSED: { webhook: [], run: [] },
  });
});

it('a secret that nothing uses gets the only factory', async () => {
  const file = join(folder.path, 'dockbell.db');
  createOlder(file, ['payments'], ['UNUSED']).close();
  expect(await migrate(file)).toEqual({ UNUSED: { webhook: ['payments'], run: ['payments'] } });
});
