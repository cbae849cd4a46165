import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { readPackageVersion } from '../../src/platform/files/package-version.ts';
import { type Migration, openDatabase, UNREPORTED } from '../../src/storage/sqlite/disk/open-database.ts';
import { MIGRATIONS } from '../../src/storage/sqlite/migrations.ts';
import { createSqliteStorage, openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { buildOffer } from '../helpers/build-offer.ts';
import { OLDER_DELIVERIES, OLDER_WEBHOOKS, REPEATED } from '../helpers/older-claims.ts';
import { useFolder } from '../helpers/with-storage.ts';

describe('opening the database', () => {
  const folder = useFolder();
  const file = () => join(folder.path, 'dockbell.db');

  it('commits to disk: synchronous FULL and a write-ahead log still hold after the first write', () => {
    const db = openDatabase(file());
    db.prepare("INSERT INTO factories (name, created_at) VALUES ('f', 1)").run();
    expect(db.pragma('synchronous', { simple: true })).toBe(2);
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(db.pragma('foreign_keys', { simple: true })).toBe(1);
    db.close();
  });

  it('rejects a database whose commits are not durable', () => {
    // A database in memory cannot have a write-ahead log. SQLite reports this only through the pragma.
    expect(() => openDatabase(':memory:')).toThrow(
      expect.objectContaining({ code: 'storage_broken', message: expect.stringContaining('journal_mode memory') }),
    );
  });

  it('creates the schema of the newest version, and keeps it the next time', () => {
    openDatabase(file()).close();
    const db = openDatabase(file());
    expect(db.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    db.close();
    expect(readdirSync(folder.path)).toEqual(['dockbell.db']);
  });

  it('rejects a file of a newer version without changing it', () => {
    openDatabase(file()).close();
    const newer = new Database(file());
    newer.pragma(`user_version = ${MIGRATIONS.length + 1}`);
    newer.close();
    const before = digest(file());
    expect(() => openDatabase(file())).toThrow(
      expect.objectContaining({ code: 'storage_newer', message: expect.stringContaining(file()) }),
    );
    expect(digest(file())).toBe(before);
    expect(readdirSync(folder.path)).toEqual(['dockbell.db']);
  });

  it('creates a backup of an older file before it migrates', () => {
    makeOlder(file());
    const db = openDatabase(file(), [...MIGRATIONS, 'CREATE TABLE added (a INTEGER) STRICT']);
    expect(db.prepare('SELECT count(*) AS n FROM added').get()).toEqual({ n: 0 });
    db.close();
    const backup = new Database(`${file()}.before-v${MIGRATIONS.length + 1}`, { readonly: true });
    expect(backup.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
    expect(backup.prepare('SELECT name FROM factories').all()).toEqual([{ name: 'kept' }]);
    backup.close();
  });

  it('lets factories with triggers of providers be applied again, because earlier versions did not bind them', () => {
    const step = MIGRATIONS.findIndex((sql) => sql.includes('SET applied_source = NULL'));
    const db = openDatabase(file(), MIGRATIONS.slice(0, step));
    // The rows have no versions.
    db.pragma('foreign_keys = OFF');
    const insert = db.prepare("INSERT INTO factories (name, created_at, applied_source) VALUES (?, 1, 'git')");
    for (const name of ['bound', 'unbound']) insert.run(name);
    const columns = (db.pragma('table_info(automations)') as { name: string; notnull: number }[]).filter(
      ({ notnull }) => notnull === 1,
    );
    const triggers = {
      bound: '[{"provider":"webhook","event":"received"}]',
      unbound: '[{"provider":"github","declared":{"provider":"github","event":"push"}}]',
    };
    for (const [factory, text] of Object.entries(triggers)) {
      const values = columns.map(({ name }) => (name === 'factory' ? factory : name === 'triggers' ? text : '1'));
      const names = columns.map(({ name }) => name).join(', ');
      db.prepare(`INSERT INTO automations (${names}) VALUES (${values.map(() => '?').join(', ')})`).run(values);
    }
    db.close();
    const migrated = openDatabase(file(), MIGRATIONS);
    expect(migrated.prepare('SELECT name, applied_source AS source FROM factories ORDER BY name').all()).toEqual([
      { name: 'bound', source: 'git' },
      { name: 'unbound', source: null },
    ]);
    migrated.close();
  });

  it('reports the migration, keeps the three latest backups, and removes what was not finished', () => {
    makeOlder(file());
    const migrations: Migration[] = [];
    const steps = [...MIGRATIONS];
    writeFileSync(`${file()}.before-v2.unfinished`, 'part of a backup');
    for (let n = 1; n <= 5; n += 1) {
      steps.push('SELECT 1');
      openDatabase(file(), steps, { ...UNREPORTED, migrated: (one) => migrations.push(one) }).close();
    }
    const from = MIGRATIONS.length;
    expect(migrations[0]).toEqual({ from, to: from + 1, backup: `${file()}.before-v${from + 1}` });
    expect(migrations).toHaveLength(5);
    expect(readdirSync(folder.path).sort()).toEqual([
      'dockbell.db',
      ...[3, 4, 5].map((n) => `dockbell.db.before-v${from + n}`),
    ]);
    openDatabase(file(), steps, { ...UNREPORTED, migrated: () => expect.unreachable() }).close();
  });

  it('names the version to install and the backup to restore if the file is newer', () => {
    makeOlder(file());
    const known = MIGRATIONS.length;
    for (const more of [1, 2]) openDatabase(file(), [...MIGRATIONS, ...Array(more).fill('SELECT 1')]).close();
    expect(() => openDatabase(file())).toThrow(
      expect.objectContaining({
        code: 'storage_newer',
        message: expect.stringContaining(
          `start Dockbell ${readPackageVersion()} or newer, or copy ${file()}.before-v${known + 1} (schema version ${known}, from before the upgrade) to its place`,
        ),
      }),
    );
    rmSync(`${file()}.before-v${known + 1}`);
    expect(() => openDatabase(file())).toThrow(
      expect.objectContaining({ message: expect.stringContaining('or restore a backup that this version can read') }),
    );
  });

  it('does not change the file when a migration fails, and migrates it the next time', () => {
    makeOlder(file());
    const failing = [...MIGRATIONS, 'CREATE TABLE added (a INTEGER) STRICT; CREATE TABLE added (a INTEGER) STRICT'];
    expect(() => openDatabase(file(), failing)).toThrow(
      expect.objectContaining({ code: 'storage_broken', message: expect.stringContaining('added') }),
    );
    const untouched = new Database(file());
    expect(untouched.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
    expect(untouched.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'added'").get()).toEqual({ n: 0 });
    untouched.close();
    const db = openDatabase(file(), [...MIGRATIONS, 'CREATE TABLE added (a INTEGER) STRICT']);
    expect(db.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length + 1);
    db.close();
  });

  it('replaces an unfinished backup', () => {
    makeOlder(file());
    const backup = `${file()}.before-v${MIGRATIONS.length + 1}`;
    writeFileSync(`${backup}.unfinished`, 'part of a backup');
    openDatabase(file(), [...MIGRATIONS, 'SELECT 1']).close();
    expect(existsSync(`${backup}.unfinished`)).toBe(false);
    expect(new Database(backup, { readonly: true }).pragma('integrity_check', { simple: true })).toBe('ok');
  });

  it('recognizes IDs that were hashed before hashes had separate keys', () => {
    const step = MIGRATIONS.findIndex((sql) => sql.includes('char(10)'));
    const older = openDatabase(file(), MIGRATIONS.slice(0, step));
    const hash = `sha256:${'a'.repeat(64)}`;
    const insert = older.prepare(
      "INSERT INTO identities (webhook, source, key, delivery, body_hash, accepted_at) VALUES (1, ?, ?, 'dlv', x'01', 1)",
    );
    for (const [source, key] of [
      [0, hash],
      [2, 'short'],
      [3, hash],
    ])
      insert.run(source, key);
    older.close();
    const db = openDatabase(file());
    const keys = db.prepare('SELECT source, key FROM identities ORDER BY seq').raw().all();
    expect(keys).toEqual([
      [0, hash],
      [2, 'short'],
      [3, hash],
      [0, `\n${hash}`],
    ]);
    db.close();
  });

  it('keeps the identities of a file with an index of them', async () => {
    const step = MIGRATIONS.findIndex((sql) => sql.includes('appended_identities'));
    const older = openDatabase(file(), MIGRATIONS.slice(0, step));
    older.exec(`
      INSERT INTO identities (seq, webhook, source, key, delivery, body_hash, accepted_at)
      VALUES (7, 1, 0, 'first', 'dlv_first', x'01', 5), (9, 1, 2, 'second', 'dlv_second', x'02', 6)`);
    older.close();
    const storage = openSqliteStorage(file());
    const offers = ['first', 'second'].map((key) => buildOffer({ key, source: 'header' }));
    expect(await storage.deliveryLog.record(offers)).toMatchObject([
      { label: 'Duplicate', of: 'dlv_first' },
      { label: 'Accepted' },
    ]);
    storage.close();
  });

  it('moves the identities of logged deliveries to their rows', async () => {
    const step = MIGRATIONS.findIndex((sql) => sql.includes('ADD COLUMN identity_key'));
    const older = openDatabase(file(), MIGRATIONS.slice(0, step));
    older.exec(`
      INSERT INTO deliveries (seq, id, webhook, label, identity_source, identity, size, received_at, client_address)
      VALUES (1, 'dlv_short', 1, 0, 0, 'short', 2, 5, ''), (2, 'dlv_long', 1, 0, 0, 'sha256:1', 2, 5, '');
      INSERT INTO delivery_contents (delivery, body, decisions) VALUES (1, x'7b7d', '{"apply":1}'), (2, x'7b7d', '{"apply":1}');
      INSERT INTO identities (webhook, source, key, delivery, body_hash, accepted_at)
      VALUES (1, 0, 'short', 'dlv_short', x'01', 5), (1, 0, char(10) || 'sha256:1', 'dlv_long', x'02', 5),
        (1, 0, 'sha256:1', 'dlv_long', x'02', 5), (1, 0, 'removed', 'dlv_removed', x'03', 5)`);
    older.close();
    const db = openDatabase(file());
    expect(db.prepare('SELECT key FROM identities').pluck().all()).toEqual(['sha256:1', 'removed']);
    const storage = createSqliteStorage(db);
    const offers = ['short', '\nsha256:1', 'sha256:1', 'removed', 'new'].map((key) =>
      buildOffer({ key, source: 'header', body: '{}' }),
    );
    expect(await storage.deliveryLog.record(offers)).toEqual([
      { label: 'Duplicate', of: 'dlv_short', reason: 'same_identity' },
      { label: 'Duplicate', of: 'dlv_long', reason: 'same_identity' },
      { label: 'Duplicate', of: 'dlv_long', reason: 'same_identity_other_body' },
      { label: 'Duplicate', of: 'dlv_removed', reason: 'same_identity_other_body' },
      { label: 'Accepted' },
    ]);
    storage.close();
  });

  it('gives recent deliveries of an earlier version their second key', async () => {
    const step = MIGRATIONS.findIndex((sql) => sql.includes('ADD COLUMN body_key'));
    const older = openDatabase(file(), MIGRATIONS.slice(0, step));
    older.exec("INSERT INTO factories (name, created_at) VALUES ('f', 1)");
    const insertWebhook = older.prepare(
      `INSERT INTO webhooks (ref, uid, factory, name, file, auth_mode, signature_scheme, secret_name, secret_version, enabled, created_at, updated_at)
       VALUES (@ref, 'wh_' || @ref, 'f', @scheme, '', 'signature', @scheme, 'A', 1, 1, 1, 1)`,
    );
    for (const webhook of OLDER_WEBHOOKS) insertWebhook.run(webhook);
    const insertDelivery = older.prepare(
      `INSERT INTO deliveries (seq, id, webhook, label, identity_source, identity, size, received_at, client_address)
       VALUES (@seq, 'dlv_' || CAST(@seq AS INTEGER), @webhook, 0, @source, @key, 2, @at, '')`,
    );
    const insertContent = older.prepare(
      "INSERT INTO delivery_contents (delivery, body, decisions) VALUES (@seq, CAST(@body AS BLOB), '[]')",
    );
    for (const { agoMs, ...delivery } of OLDER_DELIVERIES) {
      insertDelivery.run({ ...delivery, at: Date.now() - agoMs });
      insertContent.run(delivery);
    }
    older.close();
    const db = openDatabase(file());
    const keys = db.prepare('SELECT seq FROM deliveries WHERE body_key IS NOT NULL').pluck().all();
    // The body of the sixth has its claim already: the fifth row.
    expect(keys).toEqual([1, 7]);
    const storage = createSqliteStorage(db);
    const outcomes = await storage.deliveryLog.record(REPEATED.map(({ offer }) => offer));
    expect(outcomes).toEqual(REPEATED.map(({ expected }) => expected));
    storage.close();
  });

  it('gives webhooks of an earlier version no served provider', async () => {
    const step = MIGRATIONS.findIndex((sql) => sql.includes('ADD COLUMN serves'));
    const older = openDatabase(file(), MIGRATIONS.slice(0, step));
    older.exec(`
      INSERT INTO factories (name, created_at) VALUES ('f', 1);
      INSERT INTO webhooks (uid, factory, name, file, auth_mode, secret_name, secret_version, enabled, created_at, updated_at)
      VALUES ('wh_1', 'f', 'hook', '', 'token', 'A', 1, 1, 1, 1);`);
    older.close();
    const storage = openSqliteStorage(file());
    expect(await storage.inventoryReader.webhooks('f')).toMatchObject([
      { serves: null, names: null, botUsername: null, ignoreActors: [] },
    ]);
    storage.close();
  });

  it('keeps the last attempt of earlier runs', async () => {
    const step = MIGRATIONS.findIndex((sql) => sql.includes('CREATE TABLE run_attempts'));
    const older = openDatabase(file(), MIGRATIONS.slice(0, step));
    older.exec(`
      INSERT INTO runs (id, factory, automation, version, delivery, delivery_id, delivery_identity, webhook, state, attempt,
        executor, error, exit_code, created_at, started_at, finished_at)
      VALUES
        ('run_queued', 'f', 'a', 1, 1, 'dlv', 'e', 1, 'queued', 1, NULL, NULL, NULL, 1, NULL, NULL),
        ('run_once', 'f', 'a', 1, 2, 'dlv', 'e', 1, 'failed', 1, 'command', 'exit code 3', 3, 1, 2, 3),
        ('run_twice', 'f', 'a', 1, 3, 'dlv', 'e', 1, 'running', 2, 'queue', NULL, NULL, 1, 4, NULL),
        ('run_again', 'f', 'a', 1, 4, 'dlv', 'e', 1, 'queued', 3, NULL, NULL, NULL, 1, NULL, NULL)`);
    older.close();
    const storage = openSqliteStorage(file());
    const attempts = await storage.runReader.attempts(['run_queued', 'run_once', 'run_twice', 'run_again']);
    expect([...attempts].map(([run, [attempt]]) => [run, attempt])).toEqual([
      ['run_once', expect.objectContaining({ number: 1, state: 'failed', exitCode: 3, finishedAt: 3, logOffset: 0 })],
      ['run_twice', expect.objectContaining({ number: 2, state: 'running', startedAt: 4, logOffset: null })],
      ['run_again', expect.objectContaining({ number: 3, state: 'queued', startedAt: null })],
    ]);
    storage.close();
  });

  it('names the file that is not a database', () => {
    writeFileSync(file(), 'not a database, but long enough to be looked at as one'.repeat(100));
    const before = digest(file());
    expect(() => openDatabase(file())).toThrow(
      expect.objectContaining({ code: 'storage_damaged', message: expect.stringContaining(file()) }),
    );
    expect(digest(file())).toBe(before);
  });

  it('names the missing folder', () => {
    const missing = join(folder.path, 'missing', 'dockbell.db');
    expect(() => openDatabase(missing)).toThrow(
      expect.objectContaining({ code: 'storage_broken', message: expect.stringContaining(missing) }),
    );
  });
});

function makeOlder(file: string): void {
  const db = openDatabase(file);
  db.prepare("INSERT INTO factories (name, created_at) VALUES ('kept', 1)").run();
  db.close();
}

function digest(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
