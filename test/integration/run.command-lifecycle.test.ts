import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StartRecords } from '../../src/domain/ports/executor.ts';
import {
  execute,
  isAlive,
  makeRunInput,
  openWorkshop,
  orderStop,
  type Workshop,
  waitUntil,
} from '../helpers/command-runs.ts';

let workshop: Workshop;
beforeEach(async () => {
  workshop = await openWorkshop();
});
afterEach(() => workshop.close());

/** Numbers that a script wrote to its output, one a line: process ids of a whole group. */
async function pidsInLog(run: `run_${string}`): Promise<number[]> {
  return (await workshop.log(run)).trim().split('\n').map(Number);
}

/** A parent, a child and a grandchild that print their process ids, then wait; `trap` says what they do on SIGTERM. */
function familyScript(trap: string): string {
  return `${trap}; echo $$; sh -c '${trap}; echo $$; sh -c "${trap}; echo \\$\\$; while :; do sleep 1; done" & while :; do sleep 1; done' & while :; do sleep 1; done`;
}

async function waitForLines(run: `run_${string}`, lines: number): Promise<void> {
  const read = () => workshop.log(run).catch(() => '');
  await waitUntil(async () => (await read()).split('\n').length > lines, `${lines} lines are in the log of ${run}`);
}

describe('the end of a command', () => {
  it.each([
    ['exit 0', { state: 'succeeded', error: null, exitCode: 0 }],
    ['exit 3', { state: 'failed', error: 'exit code 3', exitCode: 3 }],
    ['kill -KILL $$', { state: 'failed', error: 'signal SIGKILL', exitCode: null }],
  ])('is the result of its run: %s', async (script, result) => {
    expect(await execute(workshop.executor(['sh', '-c', script]), makeRunInput())).toEqual(result);
  });

  it('keeps standard output and standard error in the order in which they were written', async () => {
    const input = makeRunInput();
    const script = 'for i in 1 2 3 4 5 6 7 8 9; do echo o$i; echo e$i >&2; done; echo device > /dev/stderr';
    await execute(workshop.executor(['sh', '-c', script]), input);
    const lines = [1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((i) => [`o${i}`, `e${i}`]);
    expect(await workshop.log(input.run.id)).toBe(`${[...lines, 'device'].join('\n')}\n`);
    expect((await stat(join(workshop.logsDir, `${input.run.id}.log`))).mode & 0o777).toBe(0o600);
  });

  it('ends the processes left in its group, with or without an open output', async () => {
    const input = makeRunInput();
    const executor = workshop.executor(
      ['sh', '-c', 'sleep 600 & echo $!; sleep 601 >/dev/null 2>&1 & echo $!; exit 0'],
      { lingerMs: 50 },
    );
    expect(await execute(executor, input)).toMatchObject({ state: 'succeeded' });
    const pids = await pidsInLog(input.run.id);
    expect(pids).toHaveLength(2);
    for (const pid of pids) expect(await isAlive(pid)).toBe(false);
  });

  it('lets the processes it leaves write their last lines', async () => {
    const input = makeRunInput();
    await execute(workshop.executor(['sh', '-c', '(sleep 0.2; echo late) & echo early']), input);
    expect(await workshop.log(input.run.id)).toBe('early\nlate\n');
  });

  it.each([
    ['', 'echo $$; exec sleep 600'],
    ['which ignores SIGTERM, ', 'trap "" TERM; echo $$; while :; do sleep 0.05; done'],
  ])('ends a process that made itself a session, %swith the output open', async (_title, script) => {
    const input = makeRunInput();
    const executor = workshop.executor(['setsid', '--fork', 'sh', '-c', script], { lingerMs: 200 });
    expect((await execute(executor, input)).state).toBe('succeeded');
    const [pid] = await pidsInLog(input.run.id);
    expect(await isAlive(pid!)).toBe(false);
  });

  it('does not wait for a process that left its session and its environment, with the output open', async () => {
    const input = makeRunInput();
    const script = 'exec env -i setsid --fork sh -c "echo \\$\\$; exec sleep 600"';
    const result = await execute(workshop.executor(['sh', '-c', script]), input);
    expect(result.state).toBe('succeeded');
    const [pid] = await pidsInLog(input.run.id);
    expect(await isAlive(pid!)).toBe(true);
    process.kill(pid!, 'SIGKILL');
  });
});

describe('the deadline', () => {
  it('stops the whole process group with SIGTERM', async () => {
    const input = makeRunInput();
    const executor = workshop.executor(['sh', '-c', familyScript(':')], { timeoutMs: 700 });
    expect(await execute(executor, input)).toEqual({ state: 'failed', error: 'timeout', exitCode: null });
    const pids = await pidsInLog(input.run.id);
    expect(pids).toHaveLength(3);
    for (const pid of pids) expect(await isAlive(pid)).toBe(false);
  });

  it('kills what does not end on SIGTERM, grandchildren included', async () => {
    const input = makeRunInput();
    const options = { timeoutMs: 700, killGraceMs: 200 };
    const executor = workshop.executor(['sh', '-c', familyScript('trap "" TERM')], options);
    expect(await execute(executor, input)).toMatchObject({ state: 'failed', error: 'timeout' });
    const pids = await pidsInLog(input.run.id);
    expect(pids).toHaveLength(3);
    for (const pid of pids) expect(await isAlive(pid)).toBe(false);
  });

  it('is a timeout also if the command exits with 0 on SIGTERM', async () => {
    const script = 'trap "exit 0" TERM; while :; do sleep 0.05; done';
    const executor = workshop.executor(['sh', '-c', script], { timeoutMs: 300 });
    expect(await execute(executor, makeRunInput())).toEqual({ state: 'failed', error: 'timeout', exitCode: 0 });
  });
});

describe('an order to stop', () => {
  it.each([
    ['cancelled', 'exit 0', { state: 'cancelled', error: 'cancelled', exitCode: 0 }],
    ['cancelled', 'exit 9', { state: 'cancelled', error: 'cancelled', exitCode: 9 }],
    ['interrupted', 'exit 0', { state: 'succeeded', error: null, exitCode: 0 }],
    ['interrupted', 'exit 9', { state: 'failed', error: 'interrupted', exitCode: 9 }],
  ] as const)('%s, with the response %s, has its result', async (cause, answer, result) => {
    const input = makeRunInput();
    const controller = new AbortController();
    const script = `trap "${answer}" TERM; echo ready; while :; do sleep 0.05; done`;
    const running = execute(workshop.executor(['sh', '-c', script]), input, { signal: controller.signal });
    await waitForLines(input.run.id, 1);
    orderStop(controller, { cause, graceMs: null });
    expect(await running).toEqual(result);
  });

  it('kills after its grace period instead of the default one', async () => {
    const input = makeRunInput();
    const controller = new AbortController();
    const running = execute(
      workshop.executor(['sh', '-c', 'trap "" TERM; echo ready; while :; do sleep 0.05; done']),
      input,
      {
        signal: controller.signal,
      },
    );
    await waitForLines(input.run.id, 1);
    orderStop(controller, { cause: 'interrupted', graceMs: 50 });
    expect(await running).toEqual({ state: 'failed', error: 'interrupted', exitCode: null });
  });

  it('before the start leaves no start record and no directory', async () => {
    const input = makeRunInput();
    const controller = new AbortController();
    orderStop(controller, { cause: 'cancelled', graceMs: null });
    const executor = workshop.executor(['true']);
    expect((await execute(executor, input, { signal: controller.signal })).state).toBe('cancelled');
    expect(await executor.wasStarted(input.run.id, 1)).toBe(false);
    expect(await readdir(workshop.dir)).toEqual([]);
  });
});

describe('captured output', () => {
  it('is cut at its limit with a final mark, in constant memory, and the command continues', {
    tags: ['full', 'continues'],
  }, async () => {
    const input = makeRunInput();
    const limit = 1024 * 1024;
    const written = 100 * 1024 * 1024;
    const before = process.memoryUsage().rss;
    let highest = 0;
    const watch = setInterval(() => {
      highest = Math.max(highest, process.memoryUsage().rss);
    }, 5);
    const executor = workshop.executor(['sh', '-c', `yes | head -c ${written}; echo done > finished`], {
      logLimitBytes: limit,
    });
    expect((await execute(executor, input)).state).toBe('succeeded');
    clearInterval(watch);
    const log = await readFile(join(workshop.logsDir, `${input.run.id}.log`), 'utf8');
    expect(log.length).toBeGreaterThan(limit - 200);
    expect(log.length).toBeLessThanOrEqual(limit);
    const kept = log.slice(0, log.indexOf('\n[dockbell:'));
    expect(log.slice(kept.length)).toBe(
      `\n[dockbell: the log ends here, at its limit of ${limit} bytes; ${written - kept.length} more bytes were dropped]\n`,
    );
    expect(await readFile(join(workshop.runsDir, input.run.id, '1', 'finished'), 'utf8')).toBe('done\n');
    expect(highest - before).toBeLessThan(written / 2);
  });

  it('never cuts a character in two', async () => {
    const input = makeRunInput();
    const executor = workshop.executor(['sh', '-c', 'for i in 1 2 3 4 5 6 7 8 9 0; do printf €€€€€€€€€€; done'], {
      logLimitBytes: 161 + 100,
    });
    await execute(executor, input);
    expect(await workshop.log(input.run.id)).toMatch(/^€{33}\n\[dockbell: [^\ufffd]*\]\n$/);
  });

  it('is complete within the limit', async () => {
    const input = makeRunInput();
    await execute(workshop.executor(['head', '-c', '100000', '/dev/zero']), input);
    expect(await workshop.log(input.run.id)).toBe('\0'.repeat(100_000));
  });

  it('has the secrets of the run masked', async () => {
    const input = makeRunInput();
    const script = 'echo "out $CI_TOKEN"; echo "err $CI_TOKEN" >&2; printf dbs_canary; sleep 0.1; echo _value';
    await execute(workshop.executor(['sh', '-c', script]), input, { secrets: { CI_TOKEN: 'dbs_canary_value' } });
    expect(await workshop.log(input.run.id)).toBe('out [redacted]\nerr [redacted]\n[redacted]\n');
  });

  it('is discarded, never written unmasked, if the mask fails; the command continues', async () => {
    const input = makeRunInput();
    const executor = workshop.executor(['sh', '-c', 'yes "$CI_TOKEN" | head -c 1000000; exit 4'], {
      maskOutput: () => new Transform({ transform: (_chunk, _encoding, done) => done(new Error('mask broken')) }),
    });
    expect(await execute(executor, input, { secrets: { CI_TOKEN: 'dbs_canary_value' } })).toMatchObject({
      exitCode: 4,
    });
    expect(await workshop.log(input.run.id)).toBe('');
  });
});

describe('the start record', () => {
  const touch = ['sh', '-c', 'echo started'];

  it('lets the same attempt start once, the next attempt again', async () => {
    const input = makeRunInput();
    const executor = workshop.executor(touch);
    const results = await Promise.all([execute(executor, input), execute(executor, input)]);
    expect(results.map((result) => result.error).sort()).toEqual(['interrupted', null]);
    expect(await workshop.log(input.run.id)).toBe('started\n');
    expect(await executor.wasStarted(input.run.id, 1)).toBe(true);
    expect(await executor.wasStarted(input.run.id, 2)).toBe(false);
    const second = { ...input, run: { ...input.run, attempt: 2 } };
    expect((await execute(executor, second)).state).toBe('succeeded');
  });

  it('prevents a second start: without records, the attempt starts twice (control)', async () => {
    const input = makeRunInput();
    const careless: StartRecords = {
      create: async () => true,
      exists: async () => false,
      delete: async () => undefined,
    };
    const executor = workshop.executor(touch, { startRecords: careless });
    await execute(executor, input);
    await execute(executor, input);
    expect(await workshop.log(input.run.id)).toBe('started\nstarted\n');
  });
});

describe('the processes of a killed daemon', () => {
  it('are found by their run and ended, in any group; other runs continue', async () => {
    const [gone, other] = [makeRunInput(), makeRunInput()];
    const controller = new AbortController();
    const script = 'echo $$; (setsid sh -c "echo \\$\\$; exec sleep 600") & while :; do sleep 0.05; done';
    const executor = workshop.executor(['sh', '-c', script], { lingerMs: 5_000 });
    const results = [gone, other].map((input) => execute(executor, input, { signal: controller.signal }));
    await waitForLines(gone.run.id, 2);
    await waitForLines(other.run.id, 2);
    await executor.endLeftovers(gone.run);
    for (const pid of await pidsInLog(gone.run.id)) expect(await isAlive(pid)).toBe(false);
    for (const pid of await pidsInLog(other.run.id)) expect(await isAlive(pid)).toBe(true);
    await executor.endLeftovers(other.run);
    expect((await Promise.all(results)).map((result) => result.error)).toEqual(['signal SIGTERM', 'signal SIGTERM']);
  });
});

describe('many runs', () => {
  it('leave no open files, no processes and no zombies', { tags: 'full', timeout: 120_000 }, async () => {
    const tidy = workshop.executor(['echo', 'done']);
    const untidy = workshop.executor(['sh', '-c', 'sleep 0 & echo done']);
    await Promise.all([execute(tidy, makeRunInput()), execute(untidy, makeRunInput())]);
    const before = await openFiles();
    for (let round = 0; round < 4; round++) {
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, index) => execute(index < 2 ? untidy : tidy, makeRunInput())),
      );
      for (const result of results) expect(result.state).toBe('succeeded');
    }
    await waitUntil(async () => (await openFiles()).length <= before.length, 'all files are closed');
    expect(await childrenOf(process.pid)).toEqual([]);
  });
});

async function openFiles(): Promise<string[]> {
  const names = await readdir('/proc/self/fd');
  const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '/proc/')));
  return targets.filter((target) => !target.startsWith('/proc/'));
}

async function childrenOf(parent: number): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  return stats.filter((stat) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent);
}
