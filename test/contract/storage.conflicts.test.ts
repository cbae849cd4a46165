import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { expect, inject, it } from 'vitest';
import { openPostgresStorage } from '../../src/storage/postgres/postgres-storage.ts';
import { buildReconciliation, FACTORY } from '../helpers/build-apply.ts';
import { START_MS } from '../helpers/build-offer.ts';
import { withClient } from '../helpers/start-postgres.ts';

/** More transactions than PostgreSQL remembers exactly: ten per connection that it accepts. */
const MANY = 1500;

it('waits until a serializable transaction of another application on the server has ended', async () => {
  const server = inject('postgresUrl');
  for (const name of ['conflicts', 'conflicts_other'])
    await withClient(`${server}/postgres`, (client) => client.query(`CREATE DATABASE ${name}`));
  const storage = await openPostgresStorage({ url: `${server}/conflicts`, pool: 4 });
  await storage.inventory.register(FACTORY, START_MS);
  const record = async (revision: number) => {
    await storage.inventory.recordAttempt(buildReconciliation({ revision: `${revision}` }), []);
    await storage.reconciliationReader.list({ factory: FACTORY, limit: 100, cursor: null });
  };
  await record(0);

  const other = new Client({ connectionString: `${server}/conflicts_other` });
  await other.connect();
  await other.query('CREATE TABLE other (number int)');
  await other.query('BEGIN ISOLATION LEVEL SERIALIZABLE');
  await other.query('INSERT INTO other VALUES (1)');
  for (let revision = 1; revision < 50; revision += 1) await record(revision);
  await withClient(`${server}/conflicts`, async (client) => {
    for (let sent = 0; sent < MANY; sent += 1)
      await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT * FROM factories; COMMIT');
  });

  const recorded = Promise.all(Array.from({ length: 20 }, async (_, n) => await record(100 + n)));
  const state = await Promise.race([recorded.then(() => 'recorded'), pause(500, 'waits')]);
  await other.end();
  await recorded;
  expect(state).toBe('waits');
  await storage.close();
});
