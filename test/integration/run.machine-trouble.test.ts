import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunId } from '../../src/domain/ids.ts';
import type { Logger } from '../../src/domain/ports/logger.ts';
import type { Run } from '../../src/domain/resources/run.ts';
import { systemClock } from '../../src/domain/time/clock.ts';
import { Dispatcher } from '../../src/runs/dispatcher.ts';
import type { CommandExecutorOptions } from '../../src/runs/executors/command/command-executor.ts';
import { createStartRecords } from '../../src/runs/executors/start-records.ts';
import {
  execute,
  makeRunInput,
  newRunId,
  openWorkshop,
  silentLogger,
  tryToExecute,
  type Workshop,
  waitUntil,
} from '../helpers/command-runs.ts';
import { ENDLESS_TERM } from '../helpers/endless-term.ts';
import { StoredRunQueue } from '../helpers/stored-run-queue.ts';
import { createMemoryRecords, NO_SECRETS } from '../helpers/worker-claims.ts';

const waitingIn = (factory: string) => ({
  factory,
  automation: 'fix-errors',
  attempt: 1,
  gate: null,
  notBefore: null,
  concurrencyKey: null,
  runsOn: null,
});

const ECHO = ['/bin/sh', '-c', 'echo done'];

let workshop: Workshop;
let queue: StoredRunQueue;
let dispatcher: Dispatcher | null;
let warnings: { message: string; problem: unknown; pauseMs: unknown }[];
beforeEach(async () => {
  workshop = await openWorkshop();
  queue = new StoredRunQueue();
  dispatcher = null;
  warnings = [];
});
afterEach(async () => {
  await dispatcher?.stop({ graceMs: 0, why: 'the daemon stopped' });
  await workshop.close();
});

const logger: Logger = {
  ...silentLogger,
  warn: ({ problem, pauseMs }: { problem?: unknown; pauseMs?: unknown }, message?: string) =>
    warnings.push({ message: message ?? '', problem, pauseMs }),
  child: () => logger,
};

async function start(
  options: Partial<CommandExecutorOptions>,
  { concurrency = 2, clock = systemClock } = {},
): Promise<Dispatcher> {
  const executor = workshop.executor(ECHO, options);
  dispatcher = new Dispatcher({
    queue,
    runs: queue,
    pauses: queue.pauses,
    clock,
    logger,
    localExecutors: ['command'],
    terms: { executors: new Map([['payments', { executor, concurrency }]]), workers: new Map() },
    logs: { begin: async () => 0, append: async () => undefined },
    secrets: NO_SECRETS,
    startRecords: createMemoryRecords(),
  });
  await dispatcher.start();
  await dispatcher.lead(ENDLESS_TERM);
  return dispatcher;
}

function addRuns(count: number): RunId[] {
  return Array.from({ length: count }, () => {
    const input = makeRunInput({ run: { id: newRunId(), state: 'queued', executor: null } satisfies Partial<Run> });
    queue.add(input);
    return input.run.id;
  });
}

describe('a machine that cannot start runs', () => {
  it('fails none of them: they return to the queue and later start as the same attempt', async () => {
    const bin = join(workshop.dir, 'bin');
    mkdirSync(bin);
    const runs = addRuns(6);
    const it = await start({ searchPath: bin });
    await waitUntil(() => warnings.length >= 3, 'several attempts have failed');
    expect(queue.states().filter((state) => state !== 'queued' && state !== 'running')).toEqual([]);
    expect(it.startFailure('payments')?.problem).toMatch(/mkfifo .* not found on PATH/);
    expect(it.explainWait(waitingIn('payments'))).toMatchObject({
      reason: 'start_failed',
      text: expect.stringContaining('mkfifo'),
    });
    expect(warnings[0]).toMatchObject({ message: 'run could not start', problem: expect.stringContaining('mkfifo') });

    symlinkSync(execFileSync('sh', ['-c', 'command -v mkfifo'], { encoding: 'utf8' }).trim(), join(bin, 'mkfifo'));
    await waitUntil(() => queue.states().every((state) => state === 'succeeded'), 'all have succeeded');
    expect(runs.map((id) => queue.run(id).attempt)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(await workshop.log(runs[0]!)).toBe('done\n');
    expect([it.startFailure('payments'), it.explainWait(waitingIn('payments')).reason]).toEqual([null, 'starting']);
  });

  it('pauses for longer after each failure', { tags: 'full' }, async () => {
    writeFileSync(workshop.runsDir, 'not a folder');
    addRuns(50);
    await start({}, { concurrency: 4 });
    await waitUntil(() => warnings.length >= 5, 'five attempts have failed');
    expect(warnings.slice(0, 5).map(({ pauseMs }) => pauseMs)).toEqual([250, 500, 1000, 2000, 4000]);
    expect(queue.states().filter((state) => state === 'failed')).toEqual([]);
  });

  it('is no longer reported once the last queued run is cancelled', async () => {
    writeFileSync(workshop.runsDir, 'not a folder');
    const [run] = addRuns(1);
    const it = await start({});
    await waitUntil(() => it.startFailure('payments') !== null, 'the failure is reported');
    await waitUntil(async () => (await it.cancel(run!)) === 'cancelled', 'the run is cancelled');
    await waitUntil(() => it.startFailure('payments') === null, 'nothing is reported');
    expect(queue.run(run!).state).toBe('cancelled');
  });

  it('fails a run that can never start while others can', async () => {
    const [hopeless] = addRuns(1);
    // Its directory cannot be made: a file has the name.
    mkdirSync(workshop.runsDir);
    writeFileSync(join(workshop.runsDir, hopeless!), '');
    // Time passes only here, so that no attempt comes before its turn, however slow the machine is.
    let nowMs = 0;
    const it = await start({}, { clock: { ...systemClock, monotonicMs: () => nowMs } });
    const pass = (ms: number) => {
      nowMs += ms;
      it.wake('payments');
    };
    const isPostponed = () => queue.run(hopeless!).state === 'queued';
    for (let attempts = 1; attempts <= 5; attempts++) {
      await waitUntil(() => warnings.length === attempts && isPostponed(), 'it is attempted');
      const [other] = addRuns(1);
      // The queue pauses for half the time that the failed run waits.
      pass(Number(warnings.at(-1)!.pauseMs));
      await waitUntil(() => queue.run(other!).state === 'succeeded', 'the other has succeeded');
      pass(120_000);
    }
    await waitUntil(() => queue.run(hopeless!).state === 'failed', 'it has failed');
    expect(warnings).toHaveLength(6);
    expect(queue.run(hopeless!).error).toMatch(/^the run cannot start, but other runs can: .*EEXIST/);
    expect(queue.states().filter((state) => state === 'failed')).toHaveLength(1);
  });
});

describe('an attempt that could not start', () => {
  const startRecordsDir = () => join(workshop.dir, 'tickets');

  it('without file descriptors at its preparation leaves no start record', async () => {
    const input = makeRunInput();
    const outcome = await withoutDescriptors(() => tryToExecute(workshop.executor(ECHO), input));
    expect(outcome).toEqual({ state: 'not_started', nextAttempt: 1, problem: expect.stringContaining('EMFILE') });
    expect(existsSync(join(startRecordsDir(), input.run.id, '1'))).toBe(false);
    expect(await execute(workshop.executor(ECHO), input)).toMatchObject({ state: 'succeeded' });
  });

  it('without file descriptors at its start is retried as the next attempt', async () => {
    const input = makeRunInput();
    const startRecords = createStartRecords(startRecordsDir());
    let lift = async () => {};
    const create: typeof startRecords.create = async (...record) => {
      const isCreated = await startRecords.create(...record);
      lift = await denyDescriptors();
      return isCreated;
    };
    const executor = workshop.executor(ECHO, { startRecords: { ...startRecords, create } });
    const outcome = await tryToExecute(executor, input).finally(() => lift());
    expect(outcome).toEqual({ state: 'not_started', nextAttempt: 2, problem: expect.stringContaining('EMFILE') });
    expect(readdirSync(join(startRecordsDir(), input.run.id))).toEqual(['1']);
    const second = { ...input, run: { ...input.run, attempt: 2 } };
    expect(await execute(workshop.executor(ECHO), second)).toMatchObject({ state: 'succeeded' });
  });

  it('because its start record could not be written is retried as the same attempt', async () => {
    const input = makeRunInput();
    writeFileSync(startRecordsDir(), 'not a folder');
    const outcome = await tryToExecute(workshop.executor(ECHO), input);
    expect(outcome).toMatchObject({ state: 'not_started', problem: expect.stringContaining('ENOTDIR') });
    await rm(startRecordsDir());
    expect(await execute(workshop.executor(ECHO), input)).toMatchObject({ state: 'succeeded' });
  });
});

/**
 * Lets this process open no further file descriptor, as a limit of the machine would; resolves with how to undo it. A
 * helper process does both, because this one can start none meanwhile.
 */
async function denyDescriptors(): Promise<() => Promise<void>> {
  const [soft, hard] = /^Max open files +(\S+) +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))!.slice(1);
  const limit = (value: string) => `prlimit --pid ${process.pid} --nofile=${value}:${hard}`;
  const helper = spawn('sh', ['-ec', `${limit('3')}; echo denied; read line; ${limit(soft!)}`]);
  const ended = once(helper, 'exit');
  await once(helper.stdout, 'data');
  return async () => {
    helper.stdin.end('lift\n');
    await ended;
  };
}

async function withoutDescriptors<T>(work: () => Promise<T>): Promise<T> {
  const lift = await denyDescriptors();
  try {
    return await work();
  } finally {
    await lift();
  }
}
