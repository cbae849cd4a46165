import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { expect, inject, it } from 'vitest';
import { collectAgentFiles } from '../../src/domain/definitions/agent-files.ts';
import type { RetentionPolicy } from '../../src/domain/ports/operations.ts';
import { openPostgresStorage } from '../../src/storage/postgres/postgres-storage.ts';
import { applyOneOfEach, buildApply, buildReconciliation, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, START_MS } from '../helpers/build-offer.ts';
import { createTree } from '../helpers/definition-tree.ts';
import { withClient } from '../helpers/start-postgres.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const POLICY: RetentionPolicy = {
  deliveriesMs: 7 * DAY_MS,
  minDeliveries: 0,
  identitiesMs: 90 * DAY_MS,
  runsMs: 30 * DAY_MS,
  auditMs: 365 * DAY_MS,
  secretVersionsMs: 30 * DAY_MS,
};

/** More transactions than PostgreSQL remembers exactly: ten per connection that it accepts. */
const MANY = 1500;

it('waits until a serializable transaction of another application on the server has ended', {
  tags: 'full',
}, async () => {
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

/** A transaction that deletes deliveries fails twice when it commits. Sequences are not rolled back. */
const FAIL_TWICE = `
  CREATE SEQUENCE failures;
  CREATE FUNCTION fail_twice() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF nextval('failures') <= 2 THEN RAISE EXCEPTION 'conflict' USING ERRCODE = '40001'; END IF;
    RETURN NULL;
  END $$;
  CREATE CONSTRAINT TRIGGER fail_twice AFTER DELETE ON deliveries DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION fail_twice()`;

it('removes nothing sooner because retention was repeated after conflicts', async () => {
  const server = inject('postgresUrl');
  await withClient(`${server}/postgres`, (client) => client.query('CREATE DATABASE conflicts_pruned'));
  const url = `${server}/conflicts_pruned`;
  const storage = await openPostgresStorage({ url, pool: 4 });
  const { webhook } = await applyOneOfEach(storage);
  await storage.deliveryLog.record([buildOffer({ webhook }), buildOffer({ webhook })]);
  const apply = (revision: string, { set, contents }: ReturnType<typeof collectAgentFiles>) =>
    storage.inventory.apply(buildApply({ revision, agentFiles: { set, contents } }));
  const files = collectAgentFiles(createTree({ 'agents/a.md': 'first' }).entries);
  await apply('r1', files);
  await apply('r2', collectAgentFiles(createTree({}).entries));
  await withClient(url, (client) => client.query(FAIL_TWICE));

  await storage.retention.prune(POLICY, START_MS + 40 * DAY_MS);
  const { rows } = await withClient(url, (client) => client.query('SELECT count(*)::int AS n FROM deliveries'));
  // The newest one stays.
  expect(rows).toEqual([{ n: 1 }]);
  // A definition that was just replaced is removed by the next pass.
  await apply('r3', { ...files, contents: new Map() });
  await storage.close();
});
