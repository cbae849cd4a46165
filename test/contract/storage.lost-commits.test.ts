import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { Storage } from '../../src/domain/ports/storage.ts';
import { openPostgresStorage, type PostgresStorage } from '../../src/storage/postgres/postgres-storage.ts';
import { applyFactory, applyOneOfEach, buildApply, FACTORY } from '../helpers/build-apply.ts';
import { buildOffer, ids, START_MS } from '../helpers/build-offer.ts';
import { PostgresProxy } from '../helpers/postgres-proxy.ts';
import { withClient } from '../helpers/start-postgres.ts';
import { composeDeletion } from '../helpers/with-storage.ts';

const AT = START_MS + 1000;
const SUCCEEDED = { state: 'succeeded', error: null, exitCode: 0 } as const;
const USER = { kind: 'local', name: 'ada', role: 'owner', factories: null } as const;

let url: string;
let proxy: PostgresProxy;
let storage: PostgresStorage;
beforeAll(async () => {
  const server = inject('postgresUrl');
  const name = `lost_commits_${process.pid}`;
  await withClient(`${server}/postgres`, (client) => client.query(`CREATE DATABASE ${name}`));
  url = `${server}/${name}`;
  proxy = await PostgresProxy.start(url);
  storage = await openPostgresStorage({ url: proxy.urlOf(url), pool: 3 });
});
beforeEach(() => withClient(url, async (client) => client.query(await composeDeletion(client))));
afterAll(async () => {
  await storage.close();
  await proxy.close();
});

/** Records a delivery with one run. */
async function recordRun(of: Storage): Promise<void> {
  const { webhook, version } = await applyOneOfEach(of);
  await of.deliveryLog.record([buildOffer({ webhook, runs: [{ automation: 'fix-errors', version }] })]);
}

async function claimOne() {
  const { inputs } = await storage.runQueue.claim({ factory: FACTORY, executor: 'command', limit: 5, at: AT });
  return inputs.map(({ run }) => ({ id: run.id, attempt: run.attempt }));
}

const read = async (statement: string) => (await withClient(url, (client) => client.query(statement))).rows;

/** What a write returns, and what it leaves, if the answer to its COMMIT is lost. */
const WRITES: Record<string, { statement: string; write(): Promise<unknown>; returned: unknown; left: string[] }> = {
  'a claim': {
    statement: 'insert into "run_attempts"',
    write: async () => (await claimOne()).length,
    returned: 1,
    left: ["SELECT state, attempt FROM runs WHERE state = 'running'"],
  },
  'the end of a run': {
    statement: 'automation_results',
    write: async () => {
      const [run] = await claimOne();
      return storage.runQueue.finish({ ...run!, result: SUCCEEDED, at: AT });
    },
    returned: { nextAttemptAt: null },
    left: ["SELECT state FROM runs WHERE state = 'succeeded'"],
  },
  'the release of a run': {
    statement: 'update "runs"',
    write: async () => {
      const [run] = await claimOne();
      return storage.runQueue.release(run!);
    },
    returned: true,
    left: ["SELECT state FROM runs WHERE state = 'queued'"],
  },
  'a user': {
    statement: 'insert into "users"',
    write: () =>
      storage.users.insertLocal(
        {
          ...USER,
          id: ids.userId(AT),
          disabledAt: null,
          createdAt: AT,
          lastSignInAt: null,
          passwordChangedAt: AT,
        },
        'hash',
      ),
    returned: true,
    left: ['SELECT name FROM users'],
  },
  'a version of a secret': {
    statement: 'sealed',
    write: () =>
      storage.sealedSecrets.insert({
        name: 'API_KEY',
        version: 1,
        sealed: new Uint8Array([1]),
        createdAt: AT,
        createdBy: null,
      }),
    returned: undefined,
    left: ["SELECT name FROM secret_versions WHERE name = 'API_KEY'"],
  },
  'an apply': {
    statement: 'reconciliations',
    write: () => storage.inventory.apply(buildApply({ revision: 'abba' })).then(() => null),
    returned: null,
    left: ["SELECT revision FROM reconciliations WHERE revision = 'abba'"],
  },
};

describe('a write on PostgreSQL whose answer to COMMIT is lost', () => {
  beforeEach(() => recordRun(storage));

  it.each(Object.entries(WRITES))(
    'has its result, and takes place once: %s',
    async (_, { statement, write, ...is }) => {
      const isCut = proxy.cutCommitOf(statement);
      expect(await write()).toEqual(is.returned);
      await isCut;
      for (const text of is.left) expect(await read(text), text).toHaveLength(1);
    },
  );

  it('is repeated if the COMMIT did not arrive', async () => {
    const isCut = proxy.cutCommitOf('insert into "run_attempts"', 'unsent');
    expect(await claimOne()).toHaveLength(1);
    await isCut;
    expect(await read("SELECT state FROM runs WHERE state = 'running'")).toHaveLength(1);
  });

  it('waits for a transaction that is still being committed', async () => {
    // Until this ends, the COMMIT waits in a deferred trigger.
    await withClient(url, async (client) => {
      await client.query(DEFER_COMMITS);
      await client.query('BEGIN');
      await client.query('SELECT pg_advisory_xact_lock(1)');
      const isCut = proxy.cutCommitOf('insert into "run_attempts"', 'pending');
      const claiming = claimOne();
      await isCut;
      const waits = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%transaction_marks%'";
      await expect.poll(async () => (await read(waits)).length).toBe(1);
      await client.query('COMMIT');
      expect(await claiming).toHaveLength(1);
    });
    expect(await read("SELECT state FROM runs WHERE state = 'running'")).toHaveLength(1);
  });
});

const DEFER_COMMITS = `
  CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END';
  CREATE CONSTRAINT TRIGGER hold AFTER INSERT ON run_attempts DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION hold()`;

it('forgets the marks of transactions after some minutes', async () => {
  await applyFactory(storage);
  expect(await read('SELECT FROM transaction_marks')).not.toHaveLength(0);
  await storage.retention.reclaim();
  expect(await read('SELECT FROM transaction_marks')).not.toHaveLength(0);
  await read("UPDATE transaction_marks SET at = at - interval '11 minutes'");
  await storage.retention.reclaim();
  expect(await read('SELECT FROM transaction_marks')).toHaveLength(0);
});

it('leaves no mark of a write that changed nothing', async () => {
  await claimOne();
  expect(await read('SELECT FROM transaction_marks')).toHaveLength(0);
});
