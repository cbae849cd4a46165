import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { startPostgres, type TestPostgres, withClient } from '../test/helpers/start-postgres.ts';
import {
  type DaemonSubject,
  drive,
  type Measured,
  type PreparedFactory,
  prepareFactory,
  startPrepared,
  TOKEN,
} from './ingress-subjects.ts';
import { type Benchmark, type BenchOptions, divide, row, type Table } from './kit/benchmark.ts';
import { type CountingProxy, startCountingProxy } from './kit/count-messages.ts';

/** Durable deliveries per second of several daemons on one PostgreSQL, compared with SQLite and with one row per commit. */
export const benchmark: Benchmark = {
  summary: 'durable deliveries per second of 1, 2 and 4 daemons on one PostgreSQL, compared with SQLite',
  isDurable: true,
  defaults: { rounds: 3, seconds: 4 },
  run,
};

const WEBHOOKS = 64;
const CONNECTIONS = 128;
const BODY_BYTES = 1_024;
const DAEMONS = [1, 2, 4] as const;
/** Each commits one row, and then the next one. */
const SINGLE_WRITERS = 16;
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

interface Round {
  sqlite: Measured;
  /** Deliveries per second of all daemons together, by their number. */
  shared: Map<number, Shared>;
  /** Rows per second. */
  single: number;
}

interface Shared {
  perSecond: number;
  p99Ms: number;
  /** Per delivery. */
  cost: Cost;
}

/** What PostgreSQL has to do for one delivery. */
interface Cost {
  transactions: number;
  statements: number;
  roundTrips: number;
  walBytes: number;
  /** Of the tables and indexes. */
  storedBytes: number;
}

async function run({ rounds, seconds, isQuick }: BenchOptions): Promise<Table[]> {
  const server = await startPostgres();
  try {
    const shape = { webhooks: WEBHOOKS, automations: 1, credential: TOKEN };
    const sqlite = await prepareFactory({ name: 'SQLite', ...shape });
    const url = await server.createDatabase('shared');
    const proxy = await startCountingProxy(url);
    const postgres = await prepareFactory({
      name: 'PostgreSQL',
      ...shape,
      storage: { type: 'postgres', url: proxy.url },
      env: { DOCKBELL_MASTER_KEY: MASTER_KEY },
    });
    const sizes = { measuredMs: seconds * 1_000, warmUpMs: isQuick ? 100 : 1_500, isRough: true };
    const results: Round[] = [];
    for (let round = 0; round < rounds; round += 1)
      results.push(await measureRound({ server, sqlite, postgres, readServer: openCounters(url, proxy) }, sizes));
    await proxy.close();
    return [describe(results)];
  } finally {
    await server.remove();
  }
}

interface Subjects {
  server: TestPostgres;
  sqlite: PreparedFactory;
  postgres: PreparedFactory;
  readServer: ReadServer;
}

type Sizes = { measuredMs: number; warmUpMs: number; isRough: boolean };

async function measureRound({ server, sqlite, postgres, readServer }: Subjects, sizes: Sizes): Promise<Round> {
  const alone = await startPrepared(sqlite, { isCopy: true });
  const ofSqlite = await drive(alone, composeLoad(sizes, CONNECTIONS));
  await alone.stop();
  const shared = new Map<number, Shared>();
  for (const daemons of DAEMONS) shared.set(daemons, await measureShared(postgres, readServer, daemons, sizes));
  return { sqlite: ofSqlite, shared, single: await measureSingleRows(server, sizes.measuredMs) };
}

function composeLoad(sizes: Sizes, connections: number) {
  return { ...sizes, connections, bodyBytes: BODY_BYTES, offeredPerSecond: null, project: 'none' };
}

/** The same number of senders for each number of daemons. */
async function measureShared(
  prepared: PreparedFactory,
  readServer: ReadServer,
  daemons: number,
  sizes: Sizes,
): Promise<Shared> {
  const started: DaemonSubject[] = [];
  for (let index = 0; index < daemons; index += 1) {
    started.push(await startPrepared(prepared, { isCopy: true, env: { DOCKBELL_MASTER_KEY: MASTER_KEY } }));
    rmSync(join(started[index]!.dataDir, 'machine-id'), { force: true });
  }
  const before = await readServer();
  const load = composeLoad(sizes, CONNECTIONS / daemons);
  const measured = await Promise.all(started.map((subject) => drive(subject, load)));
  const after = await readServer();
  for (const subject of started.reverse()) await subject.stop();
  const answers = measured.reduce((sum, one) => sum + one.answers, 0);
  const perDelivery = (count: keyof Cost) => (after[count] - before[count]) / answers;
  return {
    perSecond: measured.reduce((sum, { answersPerSecond }) => sum + answersPerSecond, 0),
    p99Ms: Math.max(...measured.map(({ p99Ms }) => p99Ms)),
    cost: {
      transactions: perDelivery('transactions'),
      statements: perDelivery('statements'),
      roundTrips: perDelivery('roundTrips'),
      walBytes: perDelivery('walBytes'),
      storedBytes: perDelivery('storedBytes'),
    },
  };
}

/** What the server has counted until now. */
type ReadServer = () => Promise<Cost>;

function openCounters(url: string, proxy: CountingProxy): ReadServer {
  const sql = `SELECT xact_commit::int AS transactions, pg_database_size(datname)::float8 AS "storedBytes",
      (pg_current_wal_insert_lsn() - '0/0')::float8 AS "walBytes"
    FROM pg_stat_database WHERE datname = current_database()`;
  return () => withClient(url, async (client) => ({ ...(await client.query(sql)).rows[0], ...proxy.read() }));
}

/** What PostgreSQL does without batches: a row of the same size in each transaction. */
async function measureSingleRows(server: TestPostgres, measuredMs: number): Promise<number> {
  const url = `${server.url}/postgres`;
  await withClient(url, (client) =>
    client.query('CREATE TABLE IF NOT EXISTS single (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body bytea)'),
  );
  const body = randomBytes(BODY_BYTES);
  const until = performance.now() + measuredMs;
  const counts = await Promise.all(
    Array.from({ length: SINGLE_WRITERS }, async () => {
      const client = new Client({ connectionString: url });
      await client.connect();
      let count = 0;
      for (; performance.now() < until; count += 1) {
        await client.query({ name: 'single', text: 'INSERT INTO single (body) VALUES ($1)', values: [body] });
      }
      await client.end();
      return count;
    }),
  );
  return (counts.reduce((sum, count) => sum + count, 0) * 1_000) / measuredMs;
}

const COSTS: readonly (readonly [keyof Cost, string])[] = [
  ['transactions', 'transactions'],
  ['statements', 'statements'],
  ['roundTrips', 'round trips'],
  ['walBytes', 'bytes of WAL'],
  ['storedBytes', 'bytes of tables and indexes'],
];

function describe(rounds: readonly Round[]): Table {
  const rates = (daemons: number) => rounds.map(({ shared }) => shared.get(daemons)!.perSecond);
  return {
    title: `Durable deliveries on one PostgreSQL, ${CONNECTIONS} connections`,
    notes: [
      'All daemons, PostgreSQL and the senders share the cores of one machine, so more daemons show what the coordination costs, not what more machines add.',
      'A proxy between the daemons and PostgreSQL counts statements and round trips. The transactions, the WAL and the sizes are those of the server, with the work of the group.',
      `One row per commit: ${SINGLE_WRITERS} connections insert rows of ${BODY_BYTES} bytes.`,
    ],
    rows: [
      row(
        'SQLite, one daemon',
        '/s',
        rounds.map(({ sqlite }) => sqlite.answersPerSecond),
      ),
      ...DAEMONS.map((daemons) =>
        row(`PostgreSQL, ${daemons} daemon${daemons === 1 ? '' : 's'}`, '/s', rates(daemons)),
      ),
      row(
        'one row per commit',
        '/s',
        rounds.map(({ single }) => single),
      ),
      row(
        'PostgreSQL as a part of SQLite',
        '×',
        divide(
          rates(1),
          rounds.map(({ sqlite }) => sqlite.answersPerSecond),
        ),
      ),
      row('2 daemons as a part of 1', '×', divide(rates(2), rates(1))),
      row('4 daemons as a part of 1', '×', divide(rates(4), rates(1))),
      ...COSTS.flatMap(([cost, measure]) =>
        DAEMONS.map((daemons) =>
          row(
            `${measure} per delivery, ${daemons}`,
            '',
            rounds.map(({ shared }) => shared.get(daemons)!.cost[cost]),
          ),
        ),
      ),
      ...DAEMONS.map((daemons) =>
        row(
          `p99, ${daemons}`,
          'ms',
          rounds.map(({ shared }) => shared.get(daemons)!.p99Ms),
        ),
      ),
    ],
  };
}
