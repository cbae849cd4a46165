import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyCiFactory, CI_TOKEN } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { chooseSeed, createSeededRandom } from '../helpers/seeded-random.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { launchTestDaemon, type TestDaemon, type TestDaemonOptions } from '../helpers/test-daemon.ts';

const ROUNDS = Number(process.env.DOCKBELL_POLICY_ROUNDS ?? 100);
const SENDERS = 3;
const DEBOUNCE_MS = 1000;
const BUDGET = { runs: 5, perMs: 2000 };
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
  costly: 'budget: { runs: 5, per: 2s }',
};
const KINDS = Object.keys(POLICIES);

/** Writes its mark before anything else: one write of one line to a file opened for appending. */
const COMMAND = `#!/bin/sh
echo "$DOCKBELL_RUN_ID \${PWD##*/}" >> "$1"
sleep 0.1
case "$(cat "$DOCKBELL_PAYLOAD")" in *flaky*bad*) exit 3;; esac
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

let repo: TempGitRepo;
let folder: string;
let options: TestDaemonOptions;
let marks: string;
/** The number of each delivery that got a 202, and its kind. */
const accepted = new Map<number, string>();
const random = createSeededRandom(chooseSeed());
let sent = 0;

beforeAll(async () => {
  repo = await createTempGitRepo();
  const automations = Object.entries(POLICIES).map(([name, policy]) => [
    `automations/${name}/automation.md`,
    declare(name, policy),
  ]);
  await repo.commit({ 'webhooks/ci.yaml': 'secretName: CI_SECRET\n', ...Object.fromEntries(automations) });
  folder = mkdtempSync(join(tmpdir(), 'dockbell-policies-'));
  marks = join(folder, 'marks');
  const script = join(folder, 'command.sh');
  writeFileSync(marks, '');
  writeFileSync(script, COMMAND);
  const runs = { executor: { type: 'command', command: ['/bin/sh', script, marks] }, concurrency: 6 };
  const factories = [{ name: 'payments', source: { type: 'repository', url: repo.path }, runs }];
  const config = { limits: { deliveriesPerMinute: 100_000 }, factories };
  options = { config, dataDir: mkdtempSync(join(folder, 'data-')) };
});
afterAll(() => {
  repo?.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<{ daemon: TestDaemon; kill: () => Promise<void> }> {
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
async function sendUntilKilled(url: string, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    sent += 1;
    const n = sent;
    const kind = random.pick(KINDS);
    const body = JSON.stringify({ n, kind, pr: random.integer(1, 4), result: random.next() < 0.5 ? 'bad' : 'good' });
    const headers = { authorization: `Bearer ${CI_TOKEN}` };
    const response = await fetch(url, { method: 'POST', headers, body }).catch(() => null);
    if (response?.status === 202) accepted.set(n, kind);
    if (response === null) return;
    await pause(random.integer(5, 40));
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

function readDatabase() {
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

it(`${ROUNDS} daemons that are killed break no promise of a policy`, async () => {
  const first = await start();
  const uid = await applyCiFactory(first.daemon);
  await first.kill();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { daemon, kill } = await start();
    let isOver = false;
    const url = `${daemon.ingressUrl}/webhooks/w/${uid}`;
    const senders = Array.from({ length: SENDERS }, () => sendUntilKilled(url, () => isOver));
    const switched = switchPause(daemon);
    await pause(random.integer(50, 1500));
    await kill();
    isOver = true;
    await Promise.all([...senders, switched]);
  }
  const { daemon } = await start();
  await settle(daemon);
  expect(await daemon.end('SIGTERM')).toBe(0);

  const { runs, attempts } = readDatabase();
  expect(accepted.size).toBeGreaterThan(ROUNDS);
  expectOneRunEach(runs);
  expectKnownEnds(runs);
  expectNoSecondStart(attempts);
  expectLimits(attempts);
  expectBudget(attempts);
  expectQuietTime(attempts);
  expectNewestStands(runs);
}, 1_800_000);

/** Each delivery that got a 202 has exactly one run, of its automation. */
function expectOneRunEach(runs: readonly StoredRun[]): void {
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

/** No attempt was started twice, and only attempts that the storage knows were started. */
function expectNoSecondStart(attempts: readonly Attempt[]): void {
  const started = readFileSync(marks, 'utf8').trim().split('\n');
  expect(started.filter((mark, i) => started.indexOf(mark) !== i)).toEqual([]);
  const stored = new Set(attempts.map(({ run }) => run));
  expect(started.filter((mark) => !stored.has(mark.split(' ')[0]!))).toEqual([]);
  expect(started.length).toBeGreaterThan(ROUNDS);
}

/** At no time more runs with one key than the limit were running. */
function expectLimits(attempts: readonly Attempt[]): void {
  for (const [automation, limit] of Object.entries(LIMITS)) {
    const ofAutomation = attempts.filter((attempt) => attempt.automation === automation);
    expect(ofAutomation.length).toBeGreaterThan(0);
    for (const { run, concurrency_key, started_at } of ofAutomation) {
      const running = ofAutomation.filter(
        (other) =>
          other.concurrency_key === concurrency_key &&
          (other.run === run || other.started_at < started_at) &&
          other.finished_at > started_at,
      );
      expect(running.length, `${automation} ${concurrency_key} at ${started_at}`).toBeLessThanOrEqual(limit);
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
