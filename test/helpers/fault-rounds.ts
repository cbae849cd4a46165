import { eventually } from './eventually.ts';
import { RegistryProbe } from './registry-probe.ts';
import { RepeatingSenders } from './repeating-senders.ts';
import type { Fault, FaultWorld } from './replica-faults.ts';
import { type Account, account, StartedRuns } from './replica-ledger.ts';
import { chooseSeed, createSeededRandom } from './seeded-random.ts';
import { withClient } from './start-postgres.ts';
import { RECOVERED_MS, type SupervisedOptions, SupervisedReplicas } from './supervised-replicas.ts';

const SENDERS = 6;

/** All runs take some minutes on a busy machine. */
const SETTLED_MS = 900_000;

/** Deliveries that must be accepted after each fault. */
const PROOFS = 60;

export interface FaultRoundsOptions extends Omit<SupervisedOptions, 'command'> {
  faults: Readonly<Record<string, Fault>>;
  rounds: number;
  /** How long the runs may take after the last round. Default: 15 minutes. */
  settledMs?: number;
}

/** One round: a fault, then the recovery. */
interface Round {
  fault: string;
  /** The last delivery that was sent before the round. */
  after: number;
  /** As `RegistryProbe.untilEqual`. */
  equalMs: number;
}

export interface FaultReport {
  account: Account;
  /** Of each round. */
  equalMs: number[];
}

/** Two replicas under load, one fault after the other. Prints a table with a row for each fault. */
export async function runFaultRounds({
  faults,
  rounds,
  settledMs = SETTLED_MS,
  ...options
}: FaultRoundsOptions): Promise<FaultReport> {
  const seed = chooseSeed();
  console.log(`DOCKBELL_SEED=${seed}`);
  const started = new StartedRuns();
  const replicas = await SupervisedReplicas.start({ ...options, command: started.command(0.2) });
  const senders = new RepeatingSenders(SENDERS, () => replicas.webhookUrls());
  const probe = new RegistryProbe(replicas, options.repo);
  const world = { server: options.server, replicas, senders, probe, random: createSeededRandom(seed) };
  try {
    const done = await disturb(world, faults, rounds);
    await senders.stop();
    await probe.change();
    await probe.untilEqual();
    await untilSettled(replicas, settledMs);
    const result = await account(replicas.url, senders.accepted, started);
    console.table(tabulate(Object.keys(faults), done, senders.accepted, result));
    console.log({ answers: senders.answers, exits: replicas.exits });
    return { account: result, equalMs: done.map(({ equalMs }) => equalMs) };
  } finally {
    await senders.giveUp();
    await replicas.stop();
  }
}

async function disturb(world: FaultWorld, faults: FaultRoundsOptions['faults'], count: number): Promise<Round[]> {
  const { replicas, senders, probe } = world;
  const names = Object.keys(faults);
  const rounds: Round[] = [];
  await senders.untilAccepted(PROOFS, RECOVERED_MS);
  for (let index = 0; index < count; index += 1) {
    const fault = names[index % names.length]!;
    const after = senders.last;
    try {
      await probe.change();
      await faults[fault]!(world);
      const equalMs = await probe.untilEqual();
      await senders.untilAccepted(PROOFS, RECOVERED_MS);
      rounds.push({ fault, after, equalMs });
      console.log(`round ${index + 1} of ${count}: ${fault}, equal after ${Math.round(equalMs)} ms`);
    } catch (error) {
      throw new Error(`round ${index + 1}, '${fault}': ${error}\n${replicas.describe()}`, { cause: error });
    }
  }
  return rounds;
}

/** Resolves when no run is queued or running, or after that time. */
async function untilSettled(replicas: SupervisedReplicas, settledMs: number): Promise<void> {
  const countOpen = () =>
    withClient(replicas.url, async (client) => {
      const { rows } = await client.query(
        "SELECT state, gate, count(*) AS runs FROM runs WHERE state IN ('queued', 'running') GROUP BY 1, 2",
      );
      return rows;
    });
  await eventually(async () => (await countOpen()).length === 0, settledMs).catch(async () => {
    console.log(`runs do not end: ${JSON.stringify(await countOpen())}\n${replicas.describe()}`);
  });
}

function tabulate(names: readonly string[], rounds: readonly Round[], accepted: ReadonlySet<number>, result: Account) {
  const faultOf = (n: number) => rounds.findLast(({ after }) => n > after)?.fault;
  return Object.fromEntries(
    names.map((name) => {
      const own = rounds.filter(({ fault }) => fault === name);
      const count = (numbers: Iterable<number>) => [...numbers].filter((n) => faultOf(n) === name).length;
      return [
        name,
        {
          rounds: own.length,
          accepted: count(accepted),
          lost: count(result.lost),
          twice: count(result.twice),
          runs: count(result.runs),
          'started twice': count(result.startedTwice),
          'never ended': count(result.neverEnded),
          'equal after (ms)': Math.round(Math.max(0, ...own.map(({ equalMs }) => equalMs))),
        },
      ];
    }),
  );
}
