import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyCiFactory, CI_TOKEN } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { openRealPodman } from '../helpers/real-podman.ts';
import { chooseSeed, createSeededRandom } from '../helpers/seeded-random.ts';
import { installStandInEngine } from '../helpers/stand-in-engine.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { launchTestDaemon, type TestDaemon, type TestDaemonOptions } from '../helpers/test-daemon.ts';
import { findFreePort, startWorkerProcess } from '../helpers/worker-process.ts';

const ROUNDS = Number(process.env.DOCKBELL_POLICY_ROUNDS ?? 100);
const SENDERS = 3;
const DEBOUNCE_MS = 1000;
const BUDGET = { runs: 5, perMs: 1000 };
const LIMITS: Readonly<Record<string, number>> = { latest: 1, queue: 2, skip: 1, digest: 3 };

const declare = (name: string, policy: string) => `---
triggers:
  - provider: webhook
    event: received
    filter: { webhooks: [ci], payload: { kind: [${name}] } }
${policy}
---
Do it.
`;
const POLICIES = {
  latest: 'concurrency: { key: pr, mode: latest, cancelRunning: true }',
  queue: 'concurrency: { key: pr, limit: 2 }',
  skip: 'concurrency: { key: pr, mode: skip }',
  digest: 'concurrency: { key: pr, limit: 3 }\ndebounce: 1s',
  flaky: 'retry: { maxAttempts: 3, backoff: 1s, on: [failed] }',
  costly: 'budget: { runs: 5, per: 1s }',
};
const KINDS = Object.keys(POLICIES);

/**
 * Writes its mark before anything else, and another one at its end: each is one write of one line to a file opened for
 * appending.
 */
const COMMAND = `#!/bin/sh
while read -r key value; do case "$key" in '"attempt":') attempt=\${value%,};; esac; done < run.json
echo "started $DOCKBELL_RUN_ID $attempt $(date +%s%3N)" >> "$1"
sleep 0.1
echo "ended $DOCKBELL_RUN_ID $attempt $(date +%s%3N)" >> "$1"
case "$(cat event-payload.json)" in *flaky*bad*) exit 3;; esac
`;

interface Attempt {
  run: string;
  automation: string;
  number: number;
  concurrency_key: string | null;
  state: string;
  created_at: number;
  started_at: number;
  finished_at: number;
}

interface StoredRun {
  id: string;
  automation: string;
  concurrency_key: string | null;
  state: string;
  error: string | null;
  superseded_by: string | null;
  n: number;
}

interface Mark {
  event: string;
  run: string;
  number: number;
  at: number;
}

/** What the kind of executor of a scene needs. */
interface Stage {
  executor: Record<string, unknown>;
  env?: Record<string, string>;
  /** Containers that exist. */
  containers?: () => string[];
}

interface Scene {
  folder: string;
  stage: Stage;
  options: TestDaemonOptions;
  script: string;
  marks: string;
  /** The number of each delivery that got a 202, and its kind. */
  accepted: Map<number, string>;
  sent: number;
}

const podman = openRealPodman();
const random = createSeededRandom(chooseSeed());
let repo: TempGitRepo;
const folder = mkdtempSync(join(tmpdir(), 'dockbell-policies-'));

beforeAll(async () => {
  repo = await createTempGitRepo();
  const automations = Object.entries(POLICIES).map(([name, policy]) => [
    `automations/${name}/automation.md`,
    declare(name, policy),
  ]);
  await repo.commit({ 'webhooks/ci.yaml': 'secretName: CI_SECRET\n', ...Object.fromEntries(automations) });
});
afterAll(() => {
  repo?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** How the executors of the variants start the script. */
const STAGES: Readonly<Record<string, (folder: string, command: string[]) => Stage>> = {
  command: (_, command) => ({ executor: { type: 'command', command } }),
  queue: () => ({ executor: { type: 'queue', lease: '2s', timeout: '1m' } }),
  container: (own, args) => {
    const { bin, containers } = installStandInEngine(own);
    const executor = { type: 'container', engine: 'docker', image: 'agent:1', args };
    return { executor, env: { PATH: `${bin}:${process.env.PATH}` }, containers };
  },
  podman: (own, args) => {
    const { image, environment, containers } = podman!;
    const engineOptions = [`--volume=${own}:${own}`];
    const executor = { type: 'container', engine: 'podman', image, pull: 'never', args, engineOptions };
    return { executor, env: environment, containers };
  },
};

/** A data directory and a configuration whose runs note each start in a file. */
async function createScene(variant: string): Promise<Scene> {
  const own = mkdtempSync(join(folder, `${variant}-`));
  const [marks, script] = [join(own, 'marks'), join(own, 'command.sh')];
  writeFileSync(marks, '');
  writeFileSync(script, COMMAND);
  const stage = STAGES[variant]!(own, ['/bin/sh', script, marks]);
  const runs = { executor: stage.executor, concurrency: 6 };
  const factories = [{ name: 'payments', source: { type: 'repository', url: repo.path }, runs }];
  const admin = { port: await findFreePort() };
  const config = { limits: { deliveriesPerMinute: 100_000 }, admin, factories };
  const options = { config, dataDir: mkdtempSync(join(own, 'data-')), env: stage.env };
  return { folder: own, stage, options, script, marks, accepted: new Map(), sent: 0 };
}

/** Two workers, which are killed and started again. The command line of the factory is theirs. */
async function startWorkers({ folder: own, script, marks }: Scene, daemon: TestDaemon) {
  const created = await daemon.api('/tokens', { method: 'POST', body: { name: 'workers', role: 'worker' } });
  const { token } = created.body as { token: string };
  const args = ['--concurrency', '3', '--exec', '/bin/sh', script, marks];
  const states = [join(own, 'worker-1'), join(own, 'worker-2')];
  const launch = (stateDir: string) => startWorkerProcess({ url: daemon.adminUrl, token, stateDir, args });
  const workers = states.map(launch);
  return {
    killOne: async () => {
      const chosen = random.integer(0, states.length);
      await workers[chosen]!.end('SIGKILL');
      workers[chosen] = launch(states[chosen]!);
    },
    end: () => Promise.all(workers.map((worker) => worker.end('SIGKILL'))),
  };
}

async function start({ options }: Scene): Promise<{ daemon: TestDaemon; kill: () => Promise<void> }> {
  const launched = launchTestDaemon(options);
  const daemon = await launched.serving;
  if (daemon === null) throw new Error(`the daemon ended:\n${launched.output()}`);
  const kill = async () => {
    launched.kill('SIGKILL');
    await launched.exited;
  };
  return { daemon, kill };
}

/** Sends one delivery of any kind after another until the daemon does not answer. */
async function sendUntilKilled(scene: Scene, url: string, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    scene.sent += 1;
    const n = scene.sent;
    const kind = random.pick(KINDS);
    const body = JSON.stringify({ n, kind, pr: random.integer(1, 4), result: random.next() < 0.5 ? 'bad' : 'good' });
    const headers = { authorization: `Bearer ${CI_TOKEN}` };
    const response = await fetch(url, { method: 'POST', headers, body }).catch(() => null);
    if (response?.status === 202) scene.accepted.set(n, kind);
    if (response === null) return;
    await pause(random.integer(20, 80));
  }
}

/** Pauses or resumes something. An answer that the kill prevents does not matter. */
async function switchPause(daemon: TestDaemon): Promise<void> {
  const path = `/factories/payments/automations/${random.pick(KINDS)}/pause`;
  const isPause = random.next() < 0.4;
  await daemon.api(path, isPause ? { method: 'POST', body: {} } : { method: 'DELETE' }).catch(() => undefined);
}

async function settle(daemon: TestDaemon): Promise<void> {
  for (const kind of KINDS) await daemon.api(`/factories/payments/automations/${kind}/pause`, { method: 'DELETE' });
  await eventually(async () => {
    for (const state of ['queued', 'running']) {
      const { body } = await daemon.api(`/factories/payments/runs?state=${state}&limit=1`);
      if (body.data.length > 0) return false;
    }
    return true;
  }, 600_000);
}

function readDatabase({ options }: Scene) {
  const db = new Database(join(options.dataDir!, 'dockbell.db'), { readonly: true });
  try {
    const runs = db
      .prepare(
        `SELECT runs.id, automation, concurrency_key, state, error, superseded_by, json_extract(CAST(body AS TEXT), '$.n') AS n
           FROM runs JOIN delivery_contents ON delivery_contents.delivery = runs.delivery ORDER BY runs.seq`,
      )
      .all() as StoredRun[];
    const attempts = db
      .prepare(
        `SELECT runs.id AS run, automation, number, concurrency_key, run_attempts.state, created_at,
           run_attempts.started_at, run_attempts.finished_at
           FROM run_attempts JOIN runs ON runs.seq = run_attempts.run
           WHERE run_attempts.started_at IS NOT NULL ORDER BY run_attempts.started_at`,
      )
      .all() as Attempt[];
    return { runs, attempts };
  } finally {
    db.close();
  }
}

/** A start of a real container takes a second. */
const VARIANTS = [
  { variant: 'command', rounds: ROUNDS },
  { variant: 'queue', rounds: ROUNDS },
  { variant: 'container', rounds: ROUNDS },
  ...(podman === null ? [] : [{ variant: 'podman', rounds: Math.ceil(ROUNDS / 5) }]),
];

it.each(VARIANTS)(
  '$rounds daemons that are killed break no promise of a policy ($variant)',
  async ({ variant, rounds }) => {
    const scene = await createScene(variant);
    const first = await start(scene);
    const uid = await applyCiFactory(first.daemon);
    const workers = variant === 'queue' ? await startWorkers(scene, first.daemon) : null;
    await first.kill();
    for (let round = 0; round < rounds; round += 1) {
      const { daemon, kill } = await start(scene);
      let isOver = false;
      const url = `${daemon.ingressUrl}/webhooks/w/${uid}`;
      const senders = Array.from({ length: SENDERS }, () => sendUntilKilled(scene, url, () => isOver));
      const switched = switchPause(daemon);
      await pause(random.integer(50, 1500));
      if (random.next() < 0.5) await workers?.killOne();
      await kill();
      isOver = true;
      await Promise.all([...senders, switched]);
    }
    const { daemon } = await start(scene);
    await settle(daemon);
    await workers?.end();
    expect(await daemon.end('SIGTERM')).toBe(0);

    const { runs, attempts } = readDatabase(scene);
    expect(scene.accepted.size).toBeGreaterThan(rounds);
    expectOneRunEach(scene, runs);
    const marks = readMarks(scene);
    expect(marks.length).toBeGreaterThan(rounds);
    expectNoSecondStart(marks, attempts);
    expectNothingAfterEnd(marks, attempts);
    expect(scene.stage.containers?.() ?? []).toEqual([]);
    expectKnownEnds(runs);
    expectLimits(attempts);
    expectBudget(attempts);
    expectQuietTime(attempts);
    expectNewestStands(runs);
  },
  1_800_000,
);

/** Each delivery that got a 202 has exactly one run, of its automation. */
function expectOneRunEach({ accepted }: Scene, runs: readonly StoredRun[]): void {
  const automations = new Map<number, string[]>();
  for (const { n, automation } of runs) automations.set(n, [...(automations.get(n) ?? []), automation]);
  const wrong = [...accepted].filter(([n, kind]) => automations.get(n)?.join() !== kind);
  expect(wrong).toEqual([]);
}

/** Each run has ended in a state that says what is known. */
function expectKnownEnds(runs: readonly StoredRun[]): void {
  const ends = new Set(runs.map(({ state, error }) => `${state}: ${error}`));
  const known = [
    'succeeded: null',
    'failed: exit code 3',
    'failed: interrupted',
    'cancelled: superseded',
    'cancelled: skipped',
  ];
  expect([...ends].filter((end) => !known.includes(end))).toEqual([]);
  for (const end of known) expect(ends, 'the rounds were too short to show every end').toContain(end);
}

function readMarks({ marks }: Scene): Mark[] {
  const lines = readFileSync(marks, 'utf8').trim().split('\n');
  return lines.map((line) => {
    const [event, run, number, at] = line.split(' ') as [string, string, string, string];
    return { event, run, number: Number(number), at: Number(at) };
  });
}

/** No attempt was started twice, and only attempts that the storage knows were started. */
function expectNoSecondStart(marks: readonly Mark[], attempts: readonly Attempt[]): void {
  const started = marks.filter(({ event }) => event === 'started').map(({ run, number }) => `${run} ${number}`);
  expect(started.filter((attempt, i) => started.indexOf(attempt) !== i)).toEqual([]);
  const stored = new Set(attempts.map(({ run, number }) => `${run} ${number}`));
  expect(started.filter((attempt) => !stored.has(attempt))).toEqual([]);
}

/** An attempt that has ended does nothing more: what was left of it was ended first. */
function expectNothingAfterEnd(marks: readonly Mark[], attempts: readonly Attempt[]): void {
  const ends = new Map(attempts.map(({ run, number, finished_at }) => [`${run} ${number}`, finished_at]));
  const late = marks.map((mark) => ({ ...mark, lateMs: mark.at - ends.get(`${mark.run} ${mark.number}`)! }));
  expect(late.filter(({ lateMs }) => lateMs > 0)).toEqual([]);
}

/** At no time more runs with one key than the limit were running. */
function expectLimits(attempts: readonly Attempt[]): void {
  for (const [automation, limit] of Object.entries(LIMITS)) {
    const ofAutomation = attempts.filter((attempt) => attempt.automation === automation);
    expect(ofAutomation.length).toBeGreaterThan(0);
    for (const { concurrency_key, started_at } of ofAutomation) {
      const running = ofAutomation.filter(
        (other) =>
          other.concurrency_key === concurrency_key && other.started_at <= started_at && other.finished_at > started_at,
      );
      expect(running.length, `${automation} at ${started_at}: ${JSON.stringify(running)}`).toBeLessThanOrEqual(limit);
    }
  }
}

/** In no period, more attempts started than the budget allows. */
function expectBudget(attempts: readonly Attempt[]): void {
  const starts = attempts.filter(({ automation }) => automation === 'costly').map(({ started_at }) => started_at);
  expect(starts.length).toBeGreaterThan(BUDGET.runs);
  const early = starts.filter((at, i) => i >= BUDGET.runs && at - starts[i - BUDGET.runs]! < BUDGET.perMs);
  expect(early).toEqual([]);
}

function expectQuietTime(attempts: readonly Attempt[]): void {
  const digests = attempts.filter(({ automation }) => automation === 'digest');
  expect(digests.filter(({ created_at, started_at }) => started_at - created_at < DEBOUNCE_MS)).toEqual([]);
}

/** The replaced runs lead to a run that was not replaced, and the newest of each key is one. */
function expectNewestStands(runs: readonly StoredRun[]): void {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const replaced = runs.filter(({ error }) => error === 'superseded');
  for (const run of replaced) {
    let last = run;
    while (last.superseded_by !== null) last = byId.get(last.superseded_by)!;
    expect(last.error, `${run.id} leads to ${last.id}`).not.toBe('superseded');
  }
  for (const automation of ['latest', 'digest']) {
    const newest = new Map(
      runs.filter((run) => run.automation === automation).map((run) => [run.concurrency_key, run]),
    );
    for (const run of newest.values()) expect(run).toMatchObject({ superseded_by: null });
  }
}
