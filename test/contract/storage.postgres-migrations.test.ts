import { type AddressInfo, createServer } from 'node:net';
import { Client, type Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { migrate } from '../../src/storage/postgres/migrate.ts';
import { MIGRATIONS, type Migration } from '../../src/storage/postgres/migrations.ts';
import { createPool } from '../../src/storage/postgres/open-database.ts';
import { openPostgresStorage } from '../../src/storage/postgres/postgres-storage.ts';
import { declareVersion } from '../../src/storage/postgres/schema-version.ts';
import { eventually } from '../helpers/eventually.ts';
import { hashOf, OLDER_DELIVERIES, OLDER_WEBHOOKS, REPEATED } from '../helpers/older-claims.ts';
import { withClient } from '../helpers/start-postgres.ts';

const NOW = MIGRATIONS.length;
const COMPATIBLE: Migration = { oldest: MIGRATIONS.at(-1)!.oldest, sql: 'ALTER TABLE factories ADD COLUMN added text' };
const WITHOUT_PROVIDER = { serves: null, names: null, botUsername: null, ignoreActors: [] };
const INCOMPATIBLE: Migration = { oldest: NOW + 2, sql: 'ALTER TABLE pauses RENAME TO paused' };

let databases = 0;
let url: string;
let pool: Pool;

beforeEach(async () => {
  const server = inject('postgresUrl');
  const name = `migrations_${process.pid}_${++databases}`;
  await withClient(`${server}/postgres`, (client) => client.query(`CREATE DATABASE ${name}`));
  url = `${server}/${name}`;
  pool = createPool({ url, pool: 2 }, 'migrations');
});

afterEach(() => pool.end());

const readSchema = async () => (await pool.query('SELECT steps, oldest FROM dockbell_schema')).rows;

it('reports that PostgreSQL is unavailable if it ends the connection of a start, so the start is repeated', async () => {
  const restarting = createServer((socket) => socket.once('data', () => socket.destroy()));
  await new Promise<void>((resolve) => restarting.listen(0, '127.0.0.1', resolve));
  const { port } = restarting.address() as AddressInfo;
  const opened = openPostgresStorage({ url: `postgres://postgres@127.0.0.1:${port}/any`, pool: 2 });
  await expect(opened).rejects.toMatchObject({ code: 'storage_unavailable' });
  restarting.close();
});

describe('a migration of PostgreSQL', () => {
  it('lets daemons of a version that it supports work and start', async () => {
    const running = await openPostgresStorage({ url, pool: 2 });
    expect(running.migration).toBeNull();
    expect(await migrate(pool, [...MIGRATIONS, COMPATIBLE])).toEqual({ from: NOW, to: NOW + 1 });
    expect(await readSchema()).toEqual([{ steps: NOW + 1, oldest: 1 }]);
    await running.pauses.resume({ factory: 'payments', automation: '' });
    const started = await openPostgresStorage({ url, pool: 2 });
    await started.pauses.resume({ factory: 'payments', automation: '' });
    expect(await readSchema()).toEqual([{ steps: NOW + 1, oldest: 1 }]);
    for (const storage of [running, started]) await storage.close();
  });

  it('changes nothing while daemons run that it does not support, and names them', { timeout: 60_000 }, async () => {
    const self = { id: 'a', machine: 'a', epoch: () => null };
    const older = await openPostgresStorage({ url, pool: 2 }, undefined, self);
    await older.replicas.describe({
      name: 'dockbell-0',
      version: '1',
      adminUrl: null,
      ingressUrl: null,
      startedAt: 5,
      live: {},
    });
    const steps = [...MIGRATIONS, COMPATIBLE, INCOMPATIBLE];
    await expect(migrate(pool, steps)).rejects.toMatchObject({
      code: 'storage_unavailable',
      message:
        `the schema of the database must change from version ${NOW} to ${NOW + 2}, and daemons before version ${NOW + 2} cannot ` +
        'work with the result. Stop them, then start this one: dockbell-0. Nothing was changed',
    });
    expect(await readSchema()).toEqual([{ steps: NOW, oldest: 1 }]);
    await older.close();
    // A session of the new version is no obstacle.
    await withClient(url, async (client) => {
      await declareVersion(client, NOW + 2);
      await migrate(pool, steps);
    });
    expect(await readSchema()).toEqual([{ steps: NOW + 2, oldest: NOW + 2 }]);
  });

  it('ends the support for older daemons: they do not start, and do not connect again', async () => {
    await migrate(pool);
    await migrate(pool, [...MIGRATIONS, COMPATIBLE, INCOMPATIBLE]);
    const newer = {
      code: 'storage_newer',
      message: expect.stringContaining(
        `the database has schema version ${NOW + 2}, which needs daemons with schema version ${NOW + 2} or newer. ` +
          `This Dockbell has version ${NOW}.`,
      ),
    };
    await expect(openPostgresStorage({ url, pool: 2 })).rejects.toMatchObject(newer);
    await withClient(url, async (client) => {
      await expect(declareVersion(client)).rejects.toMatchObject(newer);
    });
  });

  it('does not hold up transactions while it waits for a lock', { timeout: 60_000 }, async () => {
    const running = await openPostgresStorage({ url, pool: 2 });
    const reader = new Client({ connectionString: url });
    await reader.connect();
    await reader.query('BEGIN; SELECT FROM pauses');
    const adding: Migration = { oldest: NOW, sql: 'ALTER TABLE pauses ADD COLUMN added text' };
    const migrated = migrate(pool, [...MIGRATIONS, adding]);
    await eventually(async () => {
      const { rows } = await reader.query("SELECT FROM pg_locks WHERE relation = 'pauses'::regclass AND NOT granted");
      return rows.length > 0;
    });
    // It waits behind the migration, which waits behind the reader.
    await running.pauses.resume({ factory: 'payments', automation: '' });
    await reader.query('COMMIT');
    expect(await migrated).toEqual({ from: NOW, to: NOW + 1 });
    await reader.end();
    await running.close();
  });

  it('keeps the steps before one that fails, and continues with it', async () => {
    await migrate(pool);
    const failing: Migration = { oldest: NOW, sql: 'CREATE TABLE added (a integer); SELECT 1 / 0' };
    await expect(migrate(pool, [...MIGRATIONS, COMPATIBLE, failing])).rejects.toThrow('division by zero');
    expect(await readSchema()).toEqual([{ steps: NOW + 1, oldest: 1 }]);
    const fixed: Migration = { oldest: NOW, sql: 'CREATE TABLE added (a integer)' };
    expect(await migrate(pool, [...MIGRATIONS, COMPATIBLE, fixed])).toEqual({ from: NOW + 1, to: NOW + 2 });
  });

  it('is applied once by daemons that start together', async () => {
    await migrate(pool);
    const steps = [...MIGRATIONS, COMPATIBLE];
    const migrations = await Promise.all([migrate(pool, steps), migrate(pool, steps)]);
    expect(migrations.filter((migration) => migration !== null)).toEqual([{ from: NOW, to: NOW + 1 }]);
  });

  it('gives the webhooks of an earlier version no served provider', async () => {
    const step = MIGRATIONS.findIndex(({ sql }) => sql.includes('ADD COLUMN serves'));
    await migrate(pool, MIGRATIONS.slice(0, step));
    await pool.query(`
      INSERT INTO factories (name, created_at) VALUES ('payments', 1);
      INSERT INTO webhooks (uid, factory, name, file, auth_mode, secret_name, secret_version, enabled, created_at, updated_at)
      VALUES ('wh_1', 'payments', 'hook', '', 'token', 'A', 1, 1, 1, 1);`);
    const storage = await openPostgresStorage({ url, pool: 2 });
    expect(await storage.inventoryReader.webhooks('payments')).toMatchObject([WITHOUT_PROVIDER]);
    await storage.close();
  });

  it('gives recent deliveries of an earlier version their second key', async () => {
    const step = MIGRATIONS.findIndex(({ sql }) => sql.includes('ADD COLUMN body_key'));
    await migrate(pool, MIGRATIONS.slice(0, step));
    await pool.query("INSERT INTO factories (name, created_at) VALUES ('f', 1)");
    for (const { ref, scheme } of OLDER_WEBHOOKS) {
      await pool.query(
        `INSERT INTO webhooks (ref, uid, factory, name, file, auth_mode, signature_scheme, secret_name, secret_version, enabled, created_at, updated_at)
         VALUES ($1, $2, 'f', $3, '', 'signature', $3, 'A', 1, 1, 1, 1)`,
        [ref, `wh_${ref}`, scheme],
      );
    }
    for (const { seq, webhook, source, key, body, agoMs } of OLDER_DELIVERIES) {
      await pool.query(
        'INSERT INTO identities (webhook, source, key, delivery, body_hash, accepted_at) VALUES ($1, $2, $3, $4, $5, $6)',
        [webhook, source, key, `dlv_${seq}`, Buffer.from(hashOf(body), 'hex'), Date.now() - agoMs],
      );
    }
    const storage = await openPostgresStorage({ url, pool: 2 });
    const outcomes = await storage.deliveryLog.record(REPEATED.map(({ offer }) => offer));
    expect(outcomes).toEqual(REPEATED.map(({ expected }) => expected));
    await storage.close();
  });
});
