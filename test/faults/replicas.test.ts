import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { applyCiFactory, CI_TOKEN, configureCiFactory, declareCiFactory } from '../helpers/ci-factory.ts';
import { useCiOnPostgres } from '../helpers/ci-on-postgres.ts';
import { eventually } from '../helpers/eventually.ts';
import { TestReplicas } from '../helpers/replicas.ts';
import { withClient } from '../helpers/start-postgres.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import type { ApiAnswer, TestDaemon } from '../helpers/test-daemon.ts';

/** `DOCKBELL_REPLICA_ROUNDS=50` for a release. */
const ROUNDS = Number(process.env.DOCKBELL_REPLICA_ROUNDS ?? 8);
const SENDERS = 6;
/** A frozen leader loses the lead after 15 seconds. */
const FROZEN_MS = 22_000;
const RECOVERED_MS = 90_000;

const ci = useCiOnPostgres();

/** Two replicas that start again when they end, as a supervisor does. */
class SupervisedReplicas {
  readonly #replicas: TestReplicas;
  #isOver = false;
  current: TestDaemon[] = [];
  readonly #isUp = [false, false];
  readonly exits: (number | null)[] = [];

  constructor(replicas: TestReplicas) {
    this.#replicas = replicas;
  }

  async start(): Promise<void> {
    for (const index of [0, 1]) {
      this.current[index] = await this.#replicas.start();
      this.#isUp[index] = true;
      void this.#supervise(index);
    }
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.current.map((daemon) => daemon.end('SIGTERM')));
  }

  /** The replica that leads and the other one, when both run. */
  findLeader(url: string): Promise<{ leader: TestDaemon; follower: TestDaemon }> {
    return eventually(async () => {
      const adminUrl = await withClient(url, async (client) => {
        const { rows } = await client.query(
          `SELECT description::json ->> 'adminUrl' AS url FROM replicas JOIN leadership ON replica = id`,
        );
        return rows[0]?.url as string | undefined;
      });
      const leader = this.current.find((daemon) => daemon.adminUrl === adminUrl);
      const follower = this.current.find((daemon) => daemon !== leader);
      const isReady = leader !== undefined && follower !== undefined && this.#isUp.every(Boolean);
      return isReady ? { leader, follower } : null;
    }, RECOVERED_MS);
  }

  /** Sends a request to the management API of any replica until the leader answers. */
  ask(path: string, init: Parameters<TestDaemon['api']>[1] = {}): Promise<ApiAnswer> {
    let attempts = 0;
    return eventually(async () => {
      attempts += 1;
      const answer = await this.current[attempts % 2]!.api(path, init).catch(() => null);
      return answer !== null && answer.status < 300 ? answer : null;
    }, RECOVERED_MS);
  }

  async #supervise(index: number): Promise<void> {
    while (!this.#isOver) {
      const daemon = this.current[index]!;
      this.exits.push(await daemon.exited);
      this.#isUp[index] = false;
      if (this.#isOver) return;
      this.current[index] = await eventually(
        () => this.#replicas.start(daemon.dataDir).catch(() => null),
        RECOVERED_MS,
      );
      this.#isUp[index] = true;
    }
  }
}

it(`loses no accepted delivery, and starts no run twice, in ${ROUNDS} rounds of faults`, async () => {
  const url = await ci.server.createDatabase('faults');
  const started = join(createTempDir('started'), 'runs');
  const command = ['/bin/sh', '-c', `echo "$DOCKBELL_RUN_ID" >> ${started}; sleep 0.2`];
  const replicas = new SupervisedReplicas(new TestReplicas(url, { config: configureCiFactory(ci.repo, command) }));
  await replicas.start();
  const uid = await applyCiFactory(replicas.current[0]!);
  const accepted = new Set<number>();
  const answers = new Map<number | string, number>();
  let next = 0;
  let isOver = false;

  /** A sender behind a load balancer repeats a delivery, each time at another replica, until it is accepted. */
  async function keepSending(): Promise<void> {
    while (!isOver) {
      next += 1;
      const n = next;
      for (let attempts = n; !accepted.has(n); attempts += 1) {
        const status = await post(replicas.current[attempts % 2]!, n);
        answers.set(status, (answers.get(status) ?? 0) + 1);
        if (status === 202) accepted.add(n);
        else await pause(100);
      }
      await pause(20);
    }
  }

  async function post({ ingressUrl }: TestDaemon, n: number): Promise<number | string> {
    try {
      const answer = await fetch(`${ingressUrl}/webhooks/w/${uid}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${CI_TOKEN}` },
        body: JSON.stringify({ start: n % 10 === 0, n }),
        signal: AbortSignal.timeout(5000),
      });
      return answer.status;
    } catch (error) {
      return (error as Error).name;
    }
  }

  const FAULTS: Record<string, () => Promise<unknown>> = {
    'the leader is killed': async () => (await replicas.findLeader(url)).leader.end('SIGKILL'),
    'the leader freezes while it applies': async () => {
      const { leader } = await replicas.findLeader(url);
      await ci.repo.commit(declareCiFactory(`commit at delivery ${next}`));
      void leader.api('/factories/payments/reconciliations', { method: 'POST' }).catch(() => undefined);
      await pause(Math.random() * 300);
      process.kill(leader.pid, 'SIGSTOP');
      await pause(FROZEN_MS);
      process.kill(leader.pid, 'SIGCONT');
    },
    'a follower is killed': async () => (await replicas.findLeader(url)).follower.end('SIGKILL'),
    'a follower freezes': async () => {
      const { follower } = await replicas.findLeader(url);
      process.kill(follower.pid, 'SIGSTOP');
      await pause(8000);
      process.kill(follower.pid, 'SIGCONT');
    },
    'PostgreSQL is killed': async () => {
      await ci.server.kill();
      await pause(500);
      await ci.server.start();
    },
    'all connections are cut': () =>
      withClient(url, (client) =>
        client.query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        ),
      ),
  };

  const sending = Promise.all(Array.from({ length: SENDERS }, keepSending));
  const names = Object.keys(FAULTS);
  for (let round = 0; round < ROUNDS; round += 1) {
    const name = names[round % names.length]!;
    const before = accepted.size;
    await FAULTS[name]!();
    await eventually(() => accepted.size > before + 60, RECOVERED_MS).catch((error) => {
      throw new Error(
        `after '${name}': ${error}\n${replicas.current.map((daemon) => daemon.output().slice(-3000)).join('\n---\n')}`,
      );
    });
    await replicas.ask('/factories/payments');
  }
  isOver = true;
  await sending;

  const revision = await ci.repo.commit(declareCiFactory('the last commit'));
  await replicas.ask('/factories/payments/reconciliations', { method: 'POST' });
  const isSettled = async () => {
    const { body } = await replicas.ask('/factories/payments');
    const { queued_runs: queued, running_runs: running } = body.counts;
    return body.applied_revision === revision && body.health.replicas_behind === 0 && queued + running === 0;
  };
  await eventually(isSettled, RECOVERED_MS);
  const stored = await withClient(url, (client) =>
    client.query(
      `SELECT (convert_from(body, 'UTF8')::json ->> 'n')::int AS n FROM deliveries
        JOIN delivery_contents ON delivery = seq WHERE label = 0 ORDER BY n`,
    ),
  );
  expect(stored.rows.map(({ n }) => n)).toEqual([...accepted].sort((a, b) => a - b));
  const lines = existsSync(started) ? readFileSync(started, 'utf8').trim().split('\n') : [];
  expect(lines.length, 'runs that started twice').toBe(new Set(lines).size);
  const { rows } = await withClient(url, (client) => client.query('SELECT id, state FROM runs'));
  const succeeded = rows.filter(({ state }) => state === 'succeeded').map(({ id }) => id);
  expect(succeeded.filter((id) => !lines.includes(id))).toEqual([]);
  const started10 = [...accepted].filter((n) => n % 10 === 0).length;
  expect(rows.length).toBe(2 * started10);
  console.log({
    accepted: accepted.size,
    runs: rows.length,
    succeeded: succeeded.length,
    answers,
    exits: replicas.exits,
  });
  await replicas.stop();
});
