import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { findBrokenPromises } from '../helpers/check-promises.ts';
import {
  applyCiFactory,
  CI_AUTOMATIONS,
  CI_TOKEN,
  configureCiFactory,
  createCiRepository,
  settleCiFactory,
} from '../helpers/ci-factory.ts';
import { type Ledger, sendUntilBroken } from '../helpers/delivery-load.ts';
import { eventually } from '../helpers/eventually.ts';
import { canSpoilDisks, createFaultyDisk, type FaultyDisk } from '../helpers/faulty-disk.ts';
import { chooseSeed, createSeededRandom } from '../helpers/seeded-random.ts';
import type { TempGitRepo } from '../helpers/temp-git-repo.ts';
import { type DaemonProcess, launchTestDaemon, startTestDaemon } from '../helpers/test-daemon.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Writes its mark, and some lines. */
const COMMAND = `#!/bin/sh
echo "$DOCKBELL_RUN_ID \${PWD##*/}" >> "$1"
seq 1 2000
`;
const LOG = `${Array.from({ length: 2000 }, (_, line) => line + 1).join('\n')}\n`;

const MIB = 1024 * 1024;

const seed = chooseSeed();

/** A daemon with faults on the files of its data directory. */
class Scene {
  readonly folder = mkdtempSync(join(tmpdir(), 'dockbell-io-errors-'));
  readonly dataDir = mkdtempSync(join(this.folder, 'data-'));
  readonly marksFile = join(this.folder, 'marks');
  readonly disk: FaultyDisk = createFaultyDisk(this.dataDir);
  readonly ledger: Ledger = [];
  readonly running: DaemonProcess[] = [];
  readonly repo: TempGitRepo;
  readonly #random = createSeededRandom(seed);
  uid = '';

  constructor(repo: TempGitRepo) {
    this.repo = repo;
    writeFileSync(join(this.folder, 'command.sh'), COMMAND);
  }

  get options() {
    const command = ['/bin/sh', join(this.folder, 'command.sh'), this.marksFile];
    return { config: configureCiFactory(this.repo, command), dataDir: this.dataDir, env: this.disk.env };
  }

  async start(): Promise<DaemonProcess> {
    const daemon = await startTestDaemon(this.options);
    this.running.push(daemon);
    return daemon;
  }

  async startAndApply(): Promise<DaemonProcess> {
    const daemon = await this.start();
    this.uid = await applyCiFactory(daemon);
    return daemon;
  }

  /** Sends until the daemon does not answer, or the signal aborts. */
  send(daemon: DaemonProcess, signal: AbortSignal): Promise<void> {
    const target = { url: `${daemon.ingressUrl}/webhooks/w/${this.uid}`, token: CI_TOKEN };
    const load = { senders: 4, startsRunsPercent: 2, random: this.#random, ledger: this.ledger };
    return sendUntilBroken(target, load, signal);
  }

  async sendFor(daemon: DaemonProcess, count: number): Promise<void> {
    const enough = new AbortController();
    const sending = this.send(daemon, enough.signal);
    const until = this.ledger.length + count;
    await eventually(() => this.ledger.length >= until, 60_000);
    enough.abort();
    await sending;
  }

  /** One delivery that starts nothing. Resolves to the status. */
  async post({ ingressUrl }: DaemonProcess, filling: string): Promise<number> {
    const body = JSON.stringify({ start: false, number: this.ledger.length, filling });
    const message = { deliveryId: null, body, isSound: true, startsRuns: false, accepted: 0, refused: 0, unknown: 0 };
    this.ledger.push(message);
    const headers = { authorization: `Bearer ${CI_TOKEN}` };
    const response = await fetch(`${ingressUrl}/webhooks/w/${this.uid}`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    if (response.status === 202) message.accepted += 1;
    else message.unknown += 1;
    return response.status;
  }

  /** Bytes on disk of the files of the data directory, without its folders. */
  measureFiles(): number {
    const files = readdirSync(this.dataDir).map((name) => statSync(join(this.dataDir, name)));
    return files.filter((stats) => stats.isFile()).reduce((sum, { blocks }) => sum + blocks * 512, 0);
  }

  /** A start without faults, which ends everything that is in progress. Then every promise must have been kept. */
  async expectPromisesKept(): Promise<void> {
    this.disk.clear();
    const daemon = await this.start();
    await settleCiFactory(daemon, await this.repo.git(['rev-parse', 'HEAD']));
    expect(await daemon.end('SIGTERM')).toBe(0);
    const { dataDir, ledger, marksFile } = this;
    expect(ledger.filter(({ accepted }) => accepted > 0).length).toBeGreaterThan(20);
    expect(findBrokenPromises({ dataDir, ledger, marksFile, automations: CI_AUTOMATIONS }).slice(0, 20)).toEqual([]);
  }

  async remove(): Promise<void> {
    await Promise.all(this.running.map((daemon) => daemon.end('SIGKILL')));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The statuses, of which the last one is the first other than `202`. */
async function sendUntilRejected(send: () => Promise<number>): Promise<number[]> {
  const statuses: number[] = [];
  while (statuses.length < 1_000 && statuses.at(-1) !== 503) statuses.push(await send());
  return statuses;
}

describe.skipIf(!canSpoilDisks())(`input and output errors (DOCKBELL_SEED=${seed})`, () => {
  let repo: TempGitRepo;
  let scene: Scene;

  beforeAll(async () => {
    repo = await createCiRepository();
  });

  afterAll(() => repo.remove());
  afterEach(() => scene.remove());

  it('short writes change nothing: deliveries, runs and their logs are complete', async () => {
    scene = new Scene(repo);
    scene.disk.set('write * short');
    const daemon = await scene.startAndApply();
    await scene.sendFor(daemon, 200);
    await settleCiFactory(daemon, await repo.git(['rev-parse', 'HEAD']));
    expect(await daemon.end('SIGTERM')).toBe(0);
    for (const file of ['dockbell.db-wal', 'dockbell.db', 'admin-token', '.log'])
      expect(
        scene.disk.hits().some((hit) => hit.includes(file)),
        file,
      ).toBe(true);
    const logs = join(scene.dataDir, 'run-logs');
    const names = readdirSync(logs).filter((name) => name.endsWith('.log'));
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(readFileSync(join(logs, name), 'utf8')).toBe(LOG);
    await scene.expectPromisesKept();
  });

  it.each([
    ['a failed sync of the write-ahead log', 'sync .db-wal EIO'],
    ['a failed write to the write-ahead log', 'write .db-wal EIO'],
    ['a failed write of a checkpoint', 'write dockbell.db EIO'],
    ['a failed sync of a checkpoint', 'sync dockbell.db EIO'],
  ])('%s stops the daemon with exit code 1, and the next start has every accepted delivery', async (_, fault) => {
    scene = new Scene(repo);
    const daemon = await scene.startAndApply();
    await scene.sendFor(daemon, 60);
    scene.disk.set(fault);
    await scene.send(daemon, new AbortController().signal);
    expect(await daemon.exited).toBe(1);
    expect(scene.disk.hits().length).toBeGreaterThan(0);
    expect(daemon.output()).toMatch(/storage broken.*start it again/);
    await scene.expectPromisesKept();
  });

  it('a failed rename ends a start with exit code 1, and the next one works', async () => {
    scene = new Scene(repo);
    scene.disk.set('rename * EIO');
    const launched = launchTestDaemon(scene.options);
    expect(await launched.serving).toBeNull();
    expect(await launched.exited).toBe(1);
    expect(launched.output()).toContain('start Dockbell again');
    scene.disk.clear();
    const daemon = await scene.startAndApply();
    await scene.sendFor(daemon, 60);
    expect(await daemon.end('SIGTERM')).toBe(0);
    await scene.expectPromisesKept();
  });

  it('a failed rename in a change of the master key leaves every value readable, also after a restart', async () => {
    scene = new Scene(repo);
    const daemon = await scene.startAndApply();
    const newKey = join(scene.folder, 'new.key');
    writeFileSync(newKey, randomBytes(32).toString('base64'), { mode: 0o600 });
    scene.disk.set('rename * EIO');
    const rotated = await daemon.cli('key', 'rotate', '--new-key-file', newKey);
    expect(rotated.stderr).toContain('Replace ');
    expect(scene.disk.hits().some((hit) => hit.includes('master.key'))).toBe(true);
    await scene.sendFor(daemon, 60);
    await daemon.end('SIGKILL');
    scene.disk.clear();
    const next = await scene.start();
    await scene.sendFor(next, 60);
    expect((await next.cli('key', 'rotate', '--new-key-file', newKey)).code).toBe(0);
    expect(await next.end('SIGTERM')).toBe(0);
    await scene.expectPromisesKept();
  });

  it('a failed sync of a start record starts no run: it waits with the reason, and then starts once', async () => {
    scene = new Scene(repo);
    const daemon = await scene.startAndApply();
    scene.disk.set('sync /1 EIO', 'sync /2 EIO', 'sync /3 EIO');
    await scene.sendFor(daemon, 300);
    const { body } = await eventually(async () => {
      const answer = await daemon.api('/factories/payments');
      return answer.body.conditions.some(({ type }: { type: string }) => type === 'RunsNotStarting') && answer;
    });
    expect(JSON.stringify(body.conditions)).toContain('EIO');
    expect(existsSync(scene.marksFile)).toBe(false);
    scene.disk.clear();
    await settleCiFactory(daemon, await repo.git(['rev-parse', 'HEAD']));
    expect(await daemon.end('SIGTERM')).toBe(0);
    await scene.expectPromisesKept();
  });

  it('an exceeded quota rejects deliveries with 503, also after a restart, until space is free', async () => {
    scene = new Scene(repo);
    const daemon = await scene.startAndApply();
    // Most of it is for the ballast and the write-ahead log.
    const quota = `write * quota=${scene.measureFiles() + 24 * MIB}`;
    scene.disk.set(quota);
    const fill = () => scene.post(daemon, 'x'.repeat(200_000));
    const answers = await sendUntilRejected(fill);
    expect(answers.at(-1)).toBe(503);
    expect(answers.length).toBeGreaterThan(50);
    expect(scene.disk.hits().some((hit) => hit.endsWith('.db-wal') || hit.endsWith('.db'))).toBe(true);
    expect(await daemon.end('SIGTERM')).toBe(0);

    const next = await scene.start();
    expect(await sendUntilRejected(() => scene.post(next, 'x'.repeat(200_000)))).toContain(503);
    scene.disk.clear();
    await eventually(async () => (await scene.post(next, 'small')) === 202);
    await scene.sendFor(next, 60);
    expect(await next.end('SIGTERM')).toBe(0);
    await scene.expectPromisesKept();
  });
});
