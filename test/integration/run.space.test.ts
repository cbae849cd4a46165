import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunId } from '../../src/domain/ids.ts';
import { createRunSpace, type FreeRequest } from '../../src/runs/executors/files/run-space.ts';
import { newRunId, openWorkshop, type Workshop } from '../helpers/command-runs.ts';

const MIB = 1024 * 1024;

let workshop: Workshop;
let active: Set<RunId>;
beforeEach(async () => {
  workshop = await openWorkshop();
  active = new Set();
});
afterEach(() => workshop.close());

const open = () => createRunSpace({ ...workshop, clock: { wallMs: () => 0, monotonicMs: () => 0 } });
const request = (limitBytes: number, changes: Partial<FreeRequest> = {}): FreeRequest => ({
  limitBytes,
  hasEnded: async (run) => !active.has(run),
  isStopped: () => false,
  ...changes,
});

/** A run with a file of `file` bytes below its folder and a log of `log` bytes. */
async function leave({ file = 0, log = 0 }: { file?: number; log?: number }): Promise<RunId> {
  const run = newRunId();
  await mkdir(join(workshop.runsDir, run, '1', 'below'), { recursive: true });
  await mkdir(workshop.logsDir, { recursive: true });
  await writeFile(join(workshop.runsDir, run, '1', 'below', 'file'), Buffer.alloc(file, 1));
  await writeFile(join(workshop.logsDir, `${run}.log`), Buffer.alloc(log, 1));
  return run;
}

/** Nested folders, as a run makes them: in three steps, because their path is too long for one call. */
async function nest(folder: string, third: string): Promise<void> {
  const script = 'for step in 1 2 3; do mkdir -p "$1" && cd -P "$1" || exit 1; done';
  await promisify(execFile)('/bin/sh', ['-c', script, 'sh', third], { cwd: folder });
}

describe('the space that ended runs take', () => {
  it('is freed from the oldest run on, until the other runs fit', async () => {
    const runs = [await leave({ file: MIB }), await leave({ log: MIB }), await leave({ file: MIB }), await leave({})];
    expect(await open().free(request(4 * MIB))).toEqual({ runs: 0, bytes: 0, stuck: [] });
    // One byte less than two files: not every file system counts blocks of folders.
    const freed = await open().free(request(2 * MIB - 1));
    expect(freed.runs).toBe(2);
    expect(freed.bytes).toBeGreaterThanOrEqual(2 * MIB);
    expect((await readdir(workshop.runsDir)).sort()).toEqual(runs.slice(2));
    expect(await workshop.log(runs[1]!)).toBe(
      '[dockbell: log and files of this run were removed at 1970-01-01T00:00:00.000Z to make room, see retention.runBytes]\n',
    );
    expect(await workshop.log(runs[2]!)).toBe('');
  });

  it('counts and touches only runs that have ended', async () => {
    const running = await leave({ file: 4 * MIB });
    const ended = await leave({ file: MIB });
    active.add(running);
    expect((await open().free(request(2 * MIB))).runs).toBe(0);
    expect((await open().free(request(0))).runs).toBe(1);
    expect(await readdir(workshop.runsDir)).toEqual([running]);
    expect(await workshop.log(ended)).toContain('removed');
  });

  it('includes the logs of runs without a directory, and leaves the line that replaces them', async () => {
    const worker = newRunId();
    await mkdir(workshop.logsDir, { recursive: true });
    await writeFile(join(workshop.logsDir, `${worker}.log`), Buffer.alloc(MIB, 1));
    expect(await open().free(request(2 * MIB))).toMatchObject({ runs: 0 });
    const space = open();
    expect(await space.free(request(MIB - 1))).toMatchObject({ runs: 1, stuck: [] });
    expect(await workshop.log(worker)).toContain('removed');
    expect(await space.free(request(0))).toEqual({ runs: 0, bytes: 0, stuck: [] });
  });

  it('includes the times of a log', async () => {
    const run = await leave({ log: 1 });
    await writeFile(join(workshop.logsDir, `${run}.times`), Buffer.alloc(MIB, 1));
    expect((await open().free(request(MIB - 1))).bytes).toBeGreaterThanOrEqual(MIB);
    expect(await readdir(workshop.logsDir)).toEqual([`${run}.log`]);
  });

  it('keeps a run that was queued again since it was measured', async () => {
    const run = await leave({ file: MIB });
    const answers = [true, false];
    expect((await open().free(request(0, { hasEnded: async () => answers.shift()! }))).runs).toBe(0);
    expect(await readdir(workshop.runsDir)).toEqual([run]);
  });

  it('is measured once for a run, and again after another attempt', async () => {
    const run = await leave({ file: MIB });
    const space = open();
    const asked: RunId[] = [];
    const hasEnded = async (id: RunId) => asked.push(id) > 0;
    for (let i = 0; i < 3; i++) await space.free(request(8 * MIB, { hasEnded }));
    expect(asked).toEqual([run]);
    await mkdir(join(workshop.runsDir, run, '2'));
    await writeFile(join(workshop.runsDir, run, '2', 'file'), Buffer.alloc(8 * MIB, 1));
    expect((await space.free(request(8 * MIB, { hasEnded }))).runs).toBe(1);
  });

  it('does not include the targets of links', async () => {
    const outside = join(workshop.dir, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'large'), Buffer.alloc(4 * MIB, 1));
    const run = await leave({ file: 1 });
    await symlink(outside, join(workshop.runsDir, run, '1', 'link'));
    expect((await open().free(request(MIB))).runs).toBe(0);
    expect((await open().free(request(0))).runs).toBe(1);
    expect(await readdir(outside)).toEqual(['large']);
  });

  it('is freed from other runs if a log cannot be written, and that run is reported', async () => {
    const [first, second] = [await leave({ file: MIB }), await leave({ file: MIB })];
    const log = join(workshop.logsDir, `${first}.log`);
    await rm(log);
    await mkdir(log);
    const freed = await open().free(request(0));
    expect(freed).toMatchObject({ runs: 1, stuck: [{ run: first, problem: expect.stringContaining('EISDIR') }] });
    expect(await workshop.log(second)).toContain('removed');
  });

  it('is freed if a run made folders that are deeper than a path can be long', { tags: 'full' }, async () => {
    const [deep, other] = [await leave({}), await leave({ file: MIB })];
    await nest(join(workshop.runsDir, deep, '1'), 'd/'.repeat(1000));
    const freed = await open().free(request(0));
    expect(freed).toMatchObject({ runs: 2, stuck: [] });
    expect(await readdir(workshop.runsDir)).toEqual([]);
    expect(await workshop.log(other)).toContain('removed');
  });

  it('is freed from a run with such folders even if its measured size fits, because its real size is not known', async () => {
    const [deep, other] = [await leave({}), await leave({ file: MIB })];
    await nest(join(workshop.runsDir, deep, '1'), `${'d'.repeat(200)}/`.repeat(10));
    expect(await open().free(request(8 * MIB))).toMatchObject({ runs: 1, stuck: [] });
    expect(await readdir(workshop.runsDir)).toEqual([other]);
  });

  it('is freed from other runs if one cannot be looked up, and that run is reported', async () => {
    const [first, second] = [await leave({ file: MIB }), await leave({ file: MIB })];
    const hasEnded = async (run: RunId) => {
      if (run === first) throw new Error('unreadable');
      return true;
    };
    expect(await open().free(request(0, { hasEnded }))).toMatchObject({
      runs: 1,
      stuck: [{ run: first, problem: 'unreadable' }],
    });
    expect(await workshop.log(second)).toContain('removed');
  });

  it('is freed from other runs if one cannot be looked up a second time', async () => {
    const [first, second] = [await leave({ file: MIB }), await leave({ file: MIB })];
    const seen = new Set<RunId>();
    const hasEnded = async (run: RunId) => {
      if (run === first && seen.has(run)) throw new Error('unreadable');
      return seen.add(run) !== null;
    };
    expect(await open().free(request(0, { hasEnded }))).toMatchObject({
      runs: 1,
      stuck: [{ run: first, problem: 'unreadable' }],
    });
    expect(await workshop.log(second)).toContain('removed');
  });

  it('stops early on request, and is nothing before the first run', async () => {
    expect(await open().free(request(0))).toEqual({ runs: 0, bytes: 0, stuck: [] });
    await leave({ file: MIB });
    expect((await open().free(request(0, { isStopped: () => true }))).runs).toBe(0);
  });
});
