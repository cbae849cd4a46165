import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CI_AUTOMATIONS } from './ci-factory.ts';
import { STARTS_EVERY } from './repeating-senders.ts';
import { withClient } from './start-postgres.ts';
import { createTempDir } from './temp-dir.ts';

/** How the deliveries of `RepeatingSenders` ended, by their numbers. */
export interface Account {
  /** Deliveries with a `202` that are not stored. */
  lost: number[];
  /** Deliveries that were accepted more than once. */
  twice: number[];
  /** Deliveries whose runs are not stored once for each automation that they start. */
  wrongRuns: number[];
  /** The delivery of each run. */
  runs: number[];
  /** Deliveries of runs whose command started more than once. */
  startedTwice: number[];
  /** Deliveries of runs that succeeded, although their command never started. */
  neverStarted: number[];
  /** Deliveries whose runs have not ended. */
  neverEnded: number[];
}

/** Nothing went wrong. */
export const SOUND: Partial<Account> = {
  lost: [],
  twice: [],
  wrongRuns: [],
  startedTwice: [],
  neverStarted: [],
  neverEnded: [],
};

/** A command of runs that writes the ID of each run that it starts to a file, which the replicas share. */
export class StartedRuns {
  readonly #file = join(createTempDir('started'), 'runs');

  /** @param seconds that a run takes */
  command(seconds: number): string[] {
    return ['/bin/sh', '-c', `echo "$DOCKBELL_RUN_ID" >> ${this.#file}; sleep ${seconds}`];
  }

  /** An ID for each start. */
  list(): string[] {
    return existsSync(this.#file) ? readFileSync(this.#file, 'utf8').trim().split('\n') : [];
  }
}

const STORED = `
  SELECT (convert_from(body, 'UTF8')::json ->> 'n')::int AS n, deliveries.id FROM deliveries
    JOIN delivery_contents ON delivery = seq WHERE label = 0`;
const RUNS = 'SELECT id, state, delivery_id FROM runs';

/** Compares what the senders know with what the database has. Call it when the runs have ended. */
export async function account(url: string, accepted: ReadonlySet<number>, started: StartedRuns): Promise<Account> {
  const { stored, runs } = await withClient(url, async (client) => ({
    stored: (await client.query<{ n: number; id: string }>(STORED)).rows,
    runs: (await client.query<{ id: string; state: string; delivery_id: string }>(RUNS)).rows,
  }));
  const times = countBy(stored.map(({ n }) => n));
  const runsOf = countBy(runs.map(({ delivery_id }) => delivery_id));
  const numbers = new Map(stored.map(({ n, id }) => [id, n]));
  const starts = countBy(started.list());
  const numbersOf = (some: typeof runs) => some.map(({ delivery_id }) => numbers.get(delivery_id)!);
  const expected = (n: number) => (n % STARTS_EVERY === 0 ? CI_AUTOMATIONS.length : 0);
  return {
    lost: [...accepted].filter((n) => !times.has(n)),
    twice: [...times].flatMap(([n, count]) => (count > 1 ? [n] : [])),
    wrongRuns: stored.flatMap(({ n, id }) => ((runsOf.get(id) ?? 0) === expected(n) ? [] : [n])),
    runs: numbersOf(runs),
    startedTwice: numbersOf(runs.filter(({ id }) => starts.get(id)! > 1)),
    neverEnded: numbersOf(runs.filter(({ state }) => state === 'queued' || state === 'running')),
    neverStarted: numbersOf(runs.filter(({ id, state }) => state === 'succeeded' && !starts.has(id))),
  };
}

function countBy<Key>(keys: readonly Key[]): Map<Key, number> {
  const counts = new Map<Key, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
