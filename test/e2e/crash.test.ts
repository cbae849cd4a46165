import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrokenPromise, findBrokenPromises } from '../helpers/check-promises.ts';
import {
  applyCiFactory,
  CI_AUTOMATIONS,
  CI_TOKEN,
  configureCiFactory,
  createCiRepository,
  declareCiFactory,
  settleCiFactory,
} from '../helpers/ci-factory.ts';
import { type Ledger, sendUntilBroken } from '../helpers/delivery-load.ts';
import { eventually } from '../helpers/eventually.ts';
import { chooseSeed, createSeededRandom, type SeededRandom } from '../helpers/seeded-random.ts';
import type { TempGitRepo } from '../helpers/temp-git-repo.ts';
import {
  type LaunchedDaemon,
  launchTestDaemon,
  type TestDaemon,
  type TestDaemonOptions,
} from '../helpers/test-daemon.ts';

const FAULTY_START_RECORDS = fileURLToPath(new URL('./daemon-with-faulty-start-records.mjs', import.meta.url));

/** `npm run test:faults` sets a higher number. */
const ROUNDS = Number(process.env.DOCKBELL_CRASH_ROUNDS ?? 4);
/** With this number of rounds, random choices cover everything. */
const MOST_ROUNDS = 150;

/** Writes its mark before anything else: one write of one line to a file opened for appending. */
const COMMAND = `#!/bin/sh
echo "$DOCKBELL_RUN_ID \${PWD##*/}" >> "$1"
sleep "$2"
`;

interface Scene {
  folder: string;
  dataDir: string;
  marksFile: string;
  repo: TempGitRepo;
  options: TestDaemonOptions;
  random: SeededRandom;
  ledger: Ledger;
  startsRunsPercent: number;
}

interface SceneOptions {
  seed: number;
  commandSeconds: number;
  startsRunsPercent: number;
  /** A fault of `daemon-with-faulty-start-records.mjs`; if omitted, the daemon works correctly. */
  startRecords?: string;
  repo: TempGitRepo;
}

function createScene({ seed, commandSeconds, startsRunsPercent, startRecords, repo }: SceneOptions): Scene {
  const folder = mkdtempSync(join(tmpdir(), 'dockbell-crash-'));
  const marksFile = join(folder, 'marks');
  const script = join(folder, 'command.sh');
  writeFileSync(script, COMMAND);
  const command = ['/bin/sh', script, marksFile, String(commandSeconds)];
  const config = configureCiFactory(repo, command);
  const dataDir = mkdtempSync(join(folder, 'data-'));
  const options = { config, dataDir, ...(startRecords === undefined ? {} : faultyStartRecords(startRecords)) };
  const random = createSeededRandom(seed);
  return { folder, dataDir, marksFile, repo, options, random, ledger: [], startsRunsPercent };
}

function faultyStartRecords(startRecords: string): Pick<TestDaemonOptions, 'entry' | 'env'> {
  return { entry: FAULTY_START_RECORDS, env: { FAULTY_START_RECORDS: startRecords } };
}

/** Kills a start at a random moment, before the daemon serves. */
async function killEarly({ options, random }: Scene): Promise<LaunchedDaemon> {
  const daemon = launchTestDaemon(options);
  await pause(random.integer(0, 600));
  daemon.kill('SIGKILL');
  await daemon.exited;
  return daemon;
}

/**
 * Kills a daemon under load.
 *
 * @param untilMoment resolves when the daemon must be killed
 */
async function killUnderLoad(
  scene: Scene,
  webhookUid: string,
  untilMoment: () => Promise<unknown>,
): Promise<LaunchedDaemon> {
  const { options, random, ledger, startsRunsPercent } = scene;
  const launched = launchTestDaemon(options);
  const daemon = await requireServing(launched);
  const target = { url: `${daemon.ingressUrl}/webhooks/w/${webhookUid}`, token: CI_TOKEN };
  const killed = new AbortController();
  const load = { senders: 5, startsRunsPercent, random, ledger };
  const sending = sendUntilBroken(target, load, killed.signal);
  await untilMoment();
  launched.kill('SIGKILL');
  await launched.exited;
  killed.abort();
  await sending;
  return launched;
}

/** Resolves when a command has just started and continues for a while. */
async function untilCommandStarts({ marksFile }: Scene): Promise<void> {
  const countMarks = () => readMarks(marksFile).length;
  const before = countMarks();
  await eventually(() => countMarks() > before);
}

function readMarks(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

async function requireServing(launched: LaunchedDaemon): Promise<TestDaemon> {
  const daemon = await launched.serving;
  if (daemon === null) throw new Error(`the daemon ended with ${await launched.exited}:\n${launched.output()}`);
  return daemon;
}

/** Serves once without a kill, so that the factory is applied. Returns the webhook's UID. */
async function applyFactory({ options }: Scene): Promise<string> {
  const daemon = await requireServing(launchTestDaemon(options));
  const uid = await applyCiFactory(daemon);
  expect(await daemon.end('SIGTERM')).toBe(0);
  return uid;
}

/**
 * The last start: one more run starts, everything that is in progress ends, then the daemon stops cleanly. So at least one run
 * succeeds, even if the machine was too slow for all earlier ones.
 */
async function settle(scene: Scene, webhookUid: string): Promise<void> {
  const { options, repo, random, ledger } = scene;
  const daemon = await requireServing(launchTestDaemon(options));
  const target = { url: `${daemon.ingressUrl}/webhooks/w/${webhookUid}`, token: CI_TOKEN };
  const enough = new AbortController();
  const sending = sendUntilBroken(target, { senders: 1, startsRunsPercent: 50, random, ledger }, enough.signal);
  await untilCommandStarts(scene);
  enough.abort();
  await sending;
  await settleCiFactory(daemon, await repo.git(['rev-parse', 'HEAD']));
  expect(await daemon.end('SIGTERM')).toBe(0);
}

function findViolations({ dataDir, ledger, marksFile }: Scene) {
  return findBrokenPromises({ dataDir, ledger, marksFile, automations: CI_AUTOMATIONS });
}

/**
 * States that a defective daemon would leave behind. The checks above must detect each of them. Twenty deliveries are
 * lost, because the sender of a single one may not have got a response.
 */
const DAMAGES: readonly { promise: BrokenPromise; sql: string }[] = [
  {
    promise: 'delivery lost',
    sql: 'DELETE FROM deliveries WHERE seq IN (SELECT seq FROM deliveries WHERE label = 0 ORDER BY seq LIMIT 20)',
  },
  {
    promise: 'accepted twice',
    sql: 'UPDATE deliveries SET label = 0 WHERE seq = (SELECT max(seq) FROM deliveries WHERE label = 1)',
  },
  {
    promise: 'payload changed',
    sql: "UPDATE delivery_contents SET body = x'7b7d' WHERE delivery = (SELECT max(delivery) FROM delivery_contents)",
  },
  { promise: 'run lost or invented', sql: 'DELETE FROM runs WHERE seq = (SELECT max(seq) FROM runs)' },
  {
    promise: 'run not ended as it should',
    sql: "UPDATE runs SET state = 'queued' WHERE seq = (SELECT min(seq) FROM runs WHERE state = 'succeeded')",
  },
];

/** Applies each damage to a separate copy, so that no check depends on another damage. Returns the detected ones. */
function damageAndCheck(scene: Scene): BrokenPromise[] {
  return DAMAGES.filter(({ promise, sql }, index) => {
    const dataDir = mkdtempSync(join(scene.folder, `damaged-${index}-`));
    const copy = join(dataDir, 'dockbell.db');
    copyDatabase(join(scene.dataDir, 'dockbell.db'), copy);
    const db = new Database(copy);
    try {
      expect(db.prepare(sql).run().changes, promise).toBeGreaterThan(0);
    } finally {
      db.close();
    }
    return findViolations({ ...scene, dataDir }).some((violation) => violation.promise === promise);
  }).map(({ promise }) => promise);
}

function copyDatabase(from: string, to: string): void {
  const db = new Database(from);
  try {
    db.prepare('VACUUM INTO ?').run(to);
  } finally {
    db.close();
  }
}

function removeScene({ folder }: Scene): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Adds round and seed to the error of a failed round, and keeps its files for inspection. */
async function explainFailure<T>(scene: Scene, seed: number, step: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const where = `${step}, DOCKBELL_SEED=${seed}, everything is kept in ${scene.folder}`;
    throw new Error(`${where}: ${(error as Error).message}`, { cause: error });
  }
}

const seed = chooseSeed();
console.log(`crash test: DOCKBELL_SEED=${seed}`);

it('a daemon that is killed while runs start loses no delivery, and starts no run twice', {
  timeout: 180_000,
}, async () => {
  const repo = await createCiRepository();
  const scene = createScene({ seed, commandSeconds: 0.5, startsRunsPercent: 10, repo });
  const uid = await applyFactory(scene);
  await killUnderLoad(scene, uid, () => untilCommandStarts(scene));
  await settle(scene, uid);
  expect(findViolations(scene)).toEqual([]);
  removeScene(scene);
  repo.remove();
});

describe('kill -9 at random moments', () => {
  it('loses nothing that got a 202, accepts nothing twice and starts no run twice', {
    tags: 'full',
    timeout: 900_000,
  }, async () => {
    const repo = await createCiRepository();
    const scene = createScene({ seed, commandSeconds: 0.05, startsRunsPercent: 4, repo });
    const step = <T>(name: string, work: () => Promise<T>) => explainFailure(scene, seed, name, work);
    const recovered = { started_again: 0, interrupted: 0 };
    const count = ({ output }: LaunchedDaemon) => {
      for (const outcome of ['started_again', 'interrupted'] as const)
        recovered[outcome] += output().split(`"outcome":"${outcome}"`).length - 1;
    };

    const tally = (answer: 'accepted' | 'refused' | 'unknown') =>
      scene.ledger.reduce((sum, message) => sum + message[answer], 0);
    const countOutcomes = () => ({
      accepted: tally('accepted'),
      refused: tally('refused'),
      unknown: tally('unknown'),
      interrupted: recovered.interrupted,
    });

    for (let round = 1; round <= 2; round++) await step(`first start ${round}`, () => killEarly(scene));
    const uid = await step('apply', () => applyFactory(scene));
    const atRandom = () => pause(scene.random.integer(0, 500));
    // A round without deliveries or runs proves nothing, so rounds are added until there are enough.
    const isEnough = (rounds: number) => rounds >= ROUNDS && !Object.values(countOutcomes()).includes(0);
    for (let round = 1; round <= MOST_ROUNDS && !isEnough(round - 1); round++) {
      // In some rounds, an apply is in progress.
      if (round % 3 === 0) await scene.repo.commit(declareCiFactory(`commit of round ${round}`));
      const isEarly = scene.random.next() < 0.2;
      count(await step(`round ${round}`, () => (isEarly ? killEarly(scene) : killUnderLoad(scene, uid, atRandom))));
    }
    await step('last start', () => settle(scene, uid));
    await step('promises', async () => expect(findViolations(scene).slice(0, 20)).toEqual([]));

    const seen = { ...countOutcomes(), started_again: recovered.started_again };
    console.log(`crash test: ${scene.ledger.length} messages, ${JSON.stringify(seen)}`);
    expect(Object.values(countOutcomes())).not.toContain(0);
    await step('guards of this test', async () =>
      expect(damageAndCheck(scene)).toEqual(DAMAGES.map(({ promise }) => promise)),
    );
    removeScene(scene);
    repo.remove();
  });
});

describe('the protections against kill -9', () => {
  let repo: TempGitRepo;
  let applied: { scene: Scene; uid: string };

  beforeAll(async () => {
    repo = await createCiRepository();
    const scene = createScene({ seed, commandSeconds: 0, startsRunsPercent: 0, repo });
    applied = { scene, uid: await applyFactory(scene) };
  });

  afterAll(() => {
    removeScene(applied.scene);
    repo.remove();
  });

  /** Starts with a copy of a data directory in which the factory is applied. */
  function createAppliedScene(options: Omit<SceneOptions, 'seed' | 'repo'>): Scene {
    const scene = createScene({ ...options, seed, repo });
    cpSync(applied.scene.dataDir, scene.dataDir, { recursive: true });
    return scene;
  }

  it('would start runs twice without start records (control)', { tags: 'full', timeout: 120_000 }, async () => {
    const scene = createAppliedScene({ commandSeconds: 0.5, startsRunsPercent: 5, startRecords: 'none' });
    const step = <T>(name: string, work: () => Promise<T>) => explainFailure(scene, seed, name, work);
    // One round is sufficient: it ends while a command runs, and the next daemon starts that command again.
    await step('round', () => killUnderLoad(scene, applied.uid, () => untilCommandStarts(scene)));
    await step('last start', () => settle(scene, applied.uid));
    const promises = findViolations(scene).map(({ promise }) => promise);
    expect(promises).toContain('run started twice');
    // Only the start records are missing. All other checks pass as before.
    expect(new Set(promises)).toEqual(new Set(['run started twice']));
    removeScene(scene);
  });

  it.each([
    ['stuck_before', 'starts a run again whose ticket was never written', { state: 'succeeded', starts: 1 }],
    ['stuck_after', 'does not start a run again whose ticket is there', { state: 'failed', starts: 0 }],
  ])('%s: %s', { tags: 'full', timeout: 90_000 }, async (startRecords, _title, expected) => {
    const scene = createAppliedScene({ commandSeconds: 0, startsRunsPercent: 100 });
    const stuck = launchTestDaemon({ ...scene.options, ...faultyStartRecords(startRecords) });
    const daemon = await requireServing(stuck);
    await sendRunStarter(`${daemon.ingressUrl}/webhooks/w/${applied.uid}`, scene);
    await eventually(async () => (await listRuns(daemon)).every(({ state }) => state === 'running'));
    if (startRecords === 'stuck_after') await eventually(() => countStartRecords(scene) === CI_AUTOMATIONS.length);
    stuck.kill('SIGKILL');
    await stuck.exited;

    const next = await requireServing(launchTestDaemon(scene.options));
    const runs = await eventually(async () => {
      const listed = await listRuns(next);
      return listed.every(({ state }) => state !== 'queued' && state !== 'running') && listed;
    });
    expect(await next.end('SIGTERM')).toBe(0);
    expect(runs.map(({ state }) => state)).toEqual(CI_AUTOMATIONS.map(() => expected.state));
    const starts = readMarks(scene.marksFile);
    expect(new Set(starts).size).toBe(starts.length);
    expect(starts).toHaveLength(CI_AUTOMATIONS.length * expected.starts);
    expect(findViolations(scene)).toEqual([]);
    removeScene(scene);
  });
});

async function sendRunStarter(url: string, { ledger }: Scene): Promise<void> {
  const body = '{"start":true}';
  const response = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${CI_TOKEN}` }, body });
  expect(response.status).toBe(202);
  ledger.push({ deliveryId: null, body, isSound: true, startsRuns: true, accepted: 1, refused: 0, unknown: 0 });
}

async function listRuns(daemon: TestDaemon): Promise<{ state: string }[]> {
  const { body } = await daemon.api('/factories/payments/runs');
  expect(body.data).toHaveLength(CI_AUTOMATIONS.length);
  return body.data;
}

function countStartRecords({ dataDir }: Scene): number {
  const dir = join(dataDir, 'tickets');
  return existsSync(dir) ? readdirSync(dir).filter((run) => existsSync(join(dir, run, '1'))).length : 0;
}
