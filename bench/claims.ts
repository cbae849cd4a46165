import { AppError } from '../src/domain/errors.ts';
import type { RunQueue } from '../src/domain/ports/run-queue.ts';
import type { Storage } from '../src/domain/ports/storage.ts';
import { startStorage } from '../src/storage/thread/start-storage.ts';
import { applyOneOfEach, buildAutomation, FACTORY } from '../test/helpers/build-apply.ts';
import { buildOffer } from '../test/helpers/build-offer.ts';
import { joinAsMember } from '../test/helpers/group-member.ts';
import { startPostgres, withClient } from '../test/helpers/start-postgres.ts';
import { createTempDir } from '../test/helpers/temp-dir.ts';
import { type Benchmark, type BenchOptions, divide, row, type Table } from './kit/benchmark.ts';

/** Runs that several daemons claim from one queue of PostgreSQL, compared with SQLite. */
export const benchmark: Benchmark = {
  summary: 'runs per second that 1, 2, 4 and 8 claimants take from one queue, with PostgreSQL and SQLite',
  isDurable: true,
  defaults: { rounds: 3, seconds: 4 },
  run,
};

const CLAIMANTS = [1, 2, 4, 8] as const;
/** As many as a claim of a daemon with that many free slots takes. */
const LIMITS = [1, 16] as const;
/** More than any measurement takes. */
const QUEUED_PER_SECOND = 3_000;
const BATCH = 500;
const WORKER = new URL('../dist/storage/sqlite/thread/worker.js', import.meta.url);

/** One measurement: what all claimants together did. */
interface Figures {
  /** Runs that were claimed and ended. */
  perSecond: number;
  /** Transactions that PostgreSQL ended because of a conflict, for each run. They were repeated. */
  conflicts: number;
  /** Claims that failed after all attempts, for each run. */
  failed: number;
}

/** One who claims. */
interface Claimant {
  queue: RunQueue;
  machine: string | null;
}

async function run({ rounds, seconds }: BenchOptions): Promise<Table[]> {
  const server = await startPostgres();
  const measured: Measured[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const limit of LIMITS) {
        for (const claimants of CLAIMANTS) {
          const sizes = { claimants, limit, seconds };
          const url = await server.createDatabase(`claims_${round}_${limit}_${claimants}`);
          const sqlite = await measureSqlite(sizes);
          measured.push({ claimants, limit, sqlite, postgres: await measurePostgres(url, sizes) });
        }
      }
    }
  } finally {
    await server.remove();
  }
  return LIMITS.map((limit) =>
    describe(
      limit,
      measured.filter((one) => one.limit === limit),
    ),
  );
}

interface Sizes {
  claimants: number;
  /** Maximum number of runs for each claim. */
  limit: number;
  seconds: number;
}

/** One round with one number of claimants. */
interface Measured extends Pick<Sizes, 'claimants' | 'limit'> {
  sqlite: Figures;
  postgres: Figures;
}

async function measureSqlite({ claimants, ...sizes }: Sizes): Promise<Figures> {
  const { storage, close } = await startStorage(WORKER, { file: `${createTempDir('bench')}/dockbell.db` });
  await fillQueue(storage, sizes.seconds);
  const all = Array.from({ length: claimants }, () => ({ queue: storage.runQueue, machine: null }));
  const figures = await claimAll(all, sizes);
  await close();
  return { ...figures, conflicts: 0 };
}

/** Each claimant is a member of the group with separate connections, as a daemon is. */
async function measurePostgres(url: string, { claimants, ...sizes }: Sizes): Promise<Figures> {
  const first = await joinAsMember(url, 'filling');
  await fillQueue(first.storage, sizes.seconds);
  await first.leave();
  await withClient(url, (client) => client.query('VACUUM ANALYZE'));
  const members = [];
  for (let index = 0; index < claimants; index += 1) members.push(await joinAsMember(url, `${index}`));
  const before = await countRollbacks(url);
  const all = members.map(({ storage }, index) => ({ queue: storage.runQueue, machine: `machine of ${index}` }));
  const figures = await claimAll(all, sizes);
  // PostgreSQL counts the transactions of a session at the latest when it ends.
  for (const member of members.reverse()) await member.leave();
  const conflicts = (await countRollbacks(url)) - before;
  return { ...figures, conflicts: conflicts / (figures.perSecond * sizes.seconds) };
}

async function countRollbacks(url: string): Promise<number> {
  return withClient(url, async (client) => {
    const { rows } = await client.query(
      'SELECT xact_rollback::int AS count FROM pg_stat_database WHERE datname = current_database()',
    );
    return rows[0].count as number;
  });
}

async function fillQueue(storage: Storage, seconds: number): Promise<void> {
  const { webhook, version } = await applyOneOfEach(storage);
  const runs = [{ automation: buildAutomation().name, version }];
  for (let stored = 0; stored < QUEUED_PER_SECOND * seconds; stored += BATCH) {
    const offers = Array.from({ length: BATCH }, () => buildOffer({ webhook, runs, at: Date.now() }));
    await storage.deliveryLog.record(offers);
  }
}

async function claimAll(claimants: readonly Claimant[], { limit, seconds }: Omit<Sizes, 'claimants'>) {
  const begunAt = performance.now();
  const until = begunAt + seconds * 1_000;
  const counts = await Promise.all(claimants.map((claimant) => claimUntil(claimant, limit, until)));
  const taken = counts.reduce((sum, { ended }) => sum + ended, 0);
  const failed = counts.reduce((sum, one) => sum + one.failed, 0);
  return { perSecond: (taken * 1_000) / (performance.now() - begunAt), failed: failed / taken };
}

/** Claims and ends runs, one claim after the other, as a daemon does. */
async function claimUntil({ queue, machine }: Claimant, limit: number, until: number) {
  let [ended, failed] = [0, 0];
  while (performance.now() < until) {
    const order = { factory: FACTORY, executor: 'command', limit, concurrency: 1_000, machine, at: Date.now() };
    const inputs = await queue.claim(order).then(
      (claimed) => claimed.inputs,
      (error: unknown) => {
        if (!(error instanceof AppError) || error.code !== 'storage_unavailable') throw error;
        failed += 1;
        return null;
      },
    );
    if (inputs === null) continue;
    if (inputs.length === 0) throw new Error('the queue is empty before the end: it needs more runs');
    const result = { state: 'succeeded', error: null, exitCode: 0 } as const;
    for (const { run } of inputs) {
      const end = { id: run.id, attempt: run.attempt, machine, result, at: Date.now() };
      if ((await queue.finish(end)) === null) throw new Error(`run ${run.id} was claimed twice`);
      ended += 1;
    }
  }
  return { ended, failed };
}

function describe(limit: number, measured: readonly Measured[]): Table {
  const of = (claimants: number) => measured.filter((one) => one.claimants === claimants);
  const sqlite = (claimants: number) => of(claimants).map((one) => one.sqlite.perSecond);
  const postgres = (figure: keyof Figures, claimants: number) => of(claimants).map((one) => one.postgres[figure]);
  const name = (claimants: number) => `${claimants} claimant${claimants === 1 ? '' : 's'}`;
  return {
    title: `Runs claimed and ended, at most ${limit} for each claim`,
    notes: [
      'Each claimant of PostgreSQL is a replica with separate connections. All claimants share one factory, PostgreSQL and the cores of one machine.',
      'A claimant claims, and ends what it claimed, one transaction after the other. Nothing executes the runs.',
      'Conflicts are transactions that PostgreSQL ended, so that they were repeated. A failed claim is one that all its attempts did not finish.',
    ],
    rows: [
      ...CLAIMANTS.map((claimants) => row(`SQLite, ${name(claimants)}`, '/s', sqlite(claimants))),
      ...CLAIMANTS.map((claimants) => row(`PostgreSQL, ${name(claimants)}`, '/s', postgres('perSecond', claimants))),
      ...CLAIMANTS.slice(1).map((claimants) =>
        row(
          `PostgreSQL, ${name(claimants)} as a multiple of 1`,
          '×',
          divide(postgres('perSecond', claimants), postgres('perSecond', 1)),
        ),
      ),
      ...CLAIMANTS.map((claimants) =>
        row(`conflicts per run, ${name(claimants)}`, '', postgres('conflicts', claimants)),
      ),
      ...CLAIMANTS.map((claimants) =>
        row(`failed claims per run, ${name(claimants)}`, '', postgres('failed', claimants)),
      ),
    ],
  };
}
