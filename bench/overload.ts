import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import {
  type DaemonSubject,
  drive,
  type Measured,
  offer,
  prepareFactory,
  startPrepared,
  TOKEN,
} from './ingress-subjects.ts';
import { type Benchmark, type BenchOptions, row, type Table } from './kit/benchmark.ts';
import { takeLargest, takePercentile } from './kit/statistics.ts';

/** Much more load than the daemon can take, and the time until it answers as before. */
export const benchmark: Benchmark = {
  summary: 'five times as many deliveries as the daemon can take, and its recovery',
  isDurable: true,
  defaults: { rounds: 1, seconds: 30 },
  run,
};

const FACTOR = 5;
const CONNECTIONS = 1_000;
const BODY_BYTES = 2_048;
const WEBHOOKS = 20;
const PROBE_MS = 50;
const CAPACITY_MS = 3_000;
/** The daemon has recovered at the first of these probes in a row that are all fast. */
const FAST_PROBES = 10;
/** The same as idle, with some tolerance for other programs. */
const FAST = { factor: 3, leastMs: 20 };
const MOST_RECOVERY_MS = 5_000;
/** Documented answers of an overloaded daemon; `unsent` requests never left the load generator. */
const EXPECTED = ['202', '429', '503', 'unsent'];

interface Probe {
  atMs: number;
  tookMs: number;
  status: number;
}

interface Round {
  capacity: Measured;
  overload: Measured;
  rejections: Record<string, number>;
  idle: Probe[];
  meanwhile: Probe[];
  recoveryMs: number;
}

async function run({ rounds, seconds, isQuick }: BenchOptions): Promise<Table[]> {
  const factory = await prepareFactory({ name: 'overload', webhooks: WEBHOOKS, automations: 1, credential: TOKEN });
  const results: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    const subject = await startPrepared(factory, { isCopy: true });
    results.push(await measureRound(subject, seconds * 1_000, isQuick ? 200 : CAPACITY_MS));
    await subject.stop();
  }
  return [describeRounds(results, seconds)];
}

async function measureRound(subject: DaemonSubject, measuredMs: number, capacityMs: number): Promise<Round> {
  const load = { bodyBytes: BODY_BYTES, project: 'none', isRough: true };
  const capacity = await drive(subject, {
    ...load,
    connections: 64,
    warmUpMs: capacityMs / 3,
    measuredMs: capacityMs,
    offeredPerSecond: null,
  });
  const prober = new Prober(subject);
  await pause(capacityMs);
  const idle = prober.take();
  const rejectedBefore = await readRejections(subject);
  const overload = await offer(subject, {
    ...load,
    connections: CONNECTIONS,
    warmUpMs: 0,
    measuredMs,
    offeredPerSecond: capacity.answersPerSecond * FACTOR,
    drainMs: 0,
  });
  const endedMs = performance.now();
  const meanwhile = prober.take();
  requireExpected(overload);
  const recoveryMs = await awaitRecovery(prober, idle, endedMs);
  await prober.stop();
  const rejections = subtract(await readRejections(subject), rejectedBefore);
  return { capacity, overload, rejections, idle, meanwhile, recoveryMs };
}

/** A sender that is not part of the load: one delivery after the other, with a pause, on one connection. */
class Prober {
  #probes: Probe[] = [];
  #isStopped = false;
  readonly #pool: Pool;
  readonly #loop: Promise<void>;

  constructor({ port, paths }: DaemonSubject) {
    this.#pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1 });
    this.#loop = this.#keepSending(paths[0]!);
  }

  /** The probes since the last call. */
  take(): Probe[] {
    const taken = this.#probes;
    this.#probes = [];
    return taken;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loop;
    await this.#pool.close();
  }

  async #keepSending(path: string): Promise<void> {
    const token = TOKEN.kind === 'token' ? TOKEN.token : '';
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    while (!this.#isStopped) {
      const atMs = performance.now();
      const body = JSON.stringify({ atMs, random: Math.random() });
      const { statusCode: status, body: answer } = await this.#pool.request({ method: 'POST', path, headers, body });
      await answer.dump();
      this.#probes.push({ atMs, tookMs: performance.now() - atMs, status });
      await pause(PROBE_MS);
    }
  }
}

/** Milliseconds from the end of the load to the first of several fast probes. Rejects if there are none. */
async function awaitRecovery(prober: Prober, idle: readonly Probe[], endedMs: number): Promise<number> {
  const fastMs = Math.max(
    FAST.leastMs,
    FAST.factor *
      takePercentile(
        idle.map(({ tookMs }) => tookMs),
        0.99,
      ),
  );
  const since: Probe[] = [];
  while (performance.now() < endedMs + MOST_RECOVERY_MS) {
    await pause(PROBE_MS);
    since.push(...prober.take());
    const first = since.findIndex((_, at) => {
      const row = since.slice(at, at + FAST_PROBES);
      return row.length === FAST_PROBES && row.every(({ status, tookMs }) => status === 202 && tookMs <= fastMs);
    });
    if (first >= 0) return Math.max(0, since[first]!.atMs - endedMs);
  }
  const slowest = since.map(({ status, tookMs }) => `${status} after ${tookMs.toFixed(0)} ms`).slice(-FAST_PROBES);
  throw new Error(`no recovery within ${MOST_RECOVERY_MS} ms; the last probes: ${slowest.join(', ')}`);
}

function requireExpected({ others, answers }: Measured): void {
  const unexpected = Object.entries(others).filter(([status]) => !EXPECTED.includes(status));
  if (unexpected.length === 0) return;
  const list = unexpected.map(([status, count]) => `${count} x ${status}`).join(', ');
  throw new Error(`${list} among ${answers} answers; only ${EXPECTED.join(', ')} are expected`);
}

/** Rejected requests by reason, as the daemon counts them. */
async function readRejections({ adminUrl, dataDir }: DaemonSubject): Promise<Record<string, number>> {
  const token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
  const response = await fetch(`${adminUrl}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  if (response.status !== 200) throw new Error(`/metrics answered ${response.status}`);
  const lines = (await response.text()).matchAll(/^dockbell_ingress_refusals_total\{reason="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries(Array.from(lines, ([, reason, count]) => [reason!, Number(count)]));
}

function subtract(after: Record<string, number>, before: Record<string, number>): Record<string, number> {
  const entries = Object.entries(after).map(([reason, count]): [string, number] => [
    reason,
    count - (before[reason] ?? 0),
  ]);
  return Object.fromEntries(entries.filter(([, count]) => count > 0));
}

function describeRounds(rounds: readonly Round[], seconds: number): Table {
  const count = ({ overload }: Round, status: string) => overload.others[status] ?? 0;
  const accepted = rounds.map((round) => round.overload.answers - count(round, '429') - count(round, '503'));
  const perSecond = accepted.map((answers) => answers / seconds);
  const took = (probes: readonly Probe[]) => probes.map(({ tookMs }) => tookMs);
  const reasons = [...new Set(rounds.flatMap(({ rejections }) => Object.keys(rejections)))].sort();
  return {
    title: `Overload, ${FACTOR} times the capacity for ${seconds} s`,
    rows: [
      row(
        'capacity, 64 connections',
        '/s',
        rounds.map(({ capacity }) => capacity.answersPerSecond),
      ),
      row(`accepted during overload, ${CONNECTIONS.toLocaleString('en')} connections`, '/s', perSecond),
      row(
        'ratio to the capacity',
        '×',
        perSecond.map((rate, round) => rate / rounds[round]!.capacity.answersPerSecond),
      ),
      row(
        'answers 429 or 503',
        '',
        rounds.map((round) => count(round, '429') + count(round, '503')),
      ),
      ...reasons.map((reason) =>
        row(
          `rejected: ${reason}`,
          '',
          rounds.map(({ rejections }) => rejections[reason] ?? 0),
        ),
      ),
      row(
        'connections without an answer',
        '',
        rounds.map((round) => count(round, 'none')),
        { atMost: 0 },
      ),
      row(
        'another sender, idle daemon, p99',
        'ms',
        rounds.map(({ idle }) => takePercentile(took(idle), 0.99)),
      ),
      row(
        'another sender during overload, p50',
        'ms',
        rounds.map(({ meanwhile }) => takePercentile(took(meanwhile), 0.5)),
      ),
      row(
        'another sender during overload, longest',
        'ms',
        rounds.map(({ meanwhile }) => takeLargest(took(meanwhile))),
      ),
      row(
        'recovery after overload',
        'ms',
        rounds.map(({ recoveryMs }) => recoveryMs),
        { atMost: MOST_RECOVERY_MS },
      ),
      row(
        'resident memory during overload',
        'MiB',
        rounds.map(({ overload }) => overload.rssMiB),
      ),
      row(
        'load generator busy',
        '×',
        rounds.map(({ overload }) => overload.busy),
      ),
    ],
    notes: [
      `The capacity is measured with 64 connections in the same round. Then ${FACTOR} times as many deliveries of ${BODY_BYTES.toLocaleString('en')} bytes are due, on ${CONNECTIONS.toLocaleString('en')} connections. Those that no connection can send yet wait in the load generator.`,
      `Another sender posts a delivery, waits for the answer and ${PROBE_MS} ms. Recovery is the time until the first of ${FAST_PROBES} answers in a row that are as fast as before.`,
      'An answer other than 202, 429 or 503, a connection without an answer, or no recovery in 5 s ends the run with an error.',
    ],
  };
}
