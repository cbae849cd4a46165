import { appendFile, mkdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Run } from '../../src/domain/resources/run.ts';
import type { Clock } from '../../src/domain/time/clock.ts';
import { LogTimesWriter } from '../../src/runs/executors/log/log-times.ts';
import { createRunLogReader, createRunLogWriter } from '../../src/runs/executors/log/run-log.ts';
import { execute, makeRunInput, openWorkshop, type Workshop } from '../helpers/command-runs.ts';

const NOW = Date.parse('2026-01-02T03:04:05.000Z');

let workshop: Workshop;
let nowMs: number;
let run: Run;
const clock: Clock = { wallMs: () => nowMs, monotonicMs: () => nowMs };

beforeEach(async () => {
  workshop = await openWorkshop();
  nowMs = NOW;
  run = makeRunInput().run;
  await mkdir(workshop.logsDir);
});
afterEach(() => workshop.close());

const timesFile = () => join(workshop.logsDir, `${run.id}.times`);
const readTimes = (offset = 0, limit = 100) => createRunLogReader(workshop.logsDir).times(run.id, offset, limit);
const append = (text: string) => createRunLogWriter(workshop.logsDir, clock).append(run, text);

/** Appends lines of ten bytes, `pauseMs` apart. */
async function appendLines(count: number, pauseMs: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    await append('123456789\n');
    nowMs += pauseMs;
  }
}

describe('the times of a log', () => {
  it('have at most one entry per second', async () => {
    await appendLines(25, 100);
    expect(await readTimes()).toEqual([
      { offset: 0, atMs: NOW },
      { offset: 100, atMs: NOW + 1_000 },
      { offset: 200, atMs: NOW + 2_000 },
    ]);
  });

  it('are read from the last entry at or before an offset', async () => {
    await appendLines(300, 1_000);
    const offsets = async (offset: number, limit: number) =>
      (await readTimes(offset, limit)).map((entry) => entry.offset);
    expect(await offsets(0, 2)).toEqual([0, 10]);
    expect(await offsets(9, 2)).toEqual([0, 10]);
    expect(await offsets(1_230, 2)).toEqual([1_230, 1_240]);
    expect(await offsets(1_239, 2)).toEqual([1_230, 1_240]);
    expect(await offsets(2_985, 100)).toEqual([2_980, 2_990]);
    expect(await offsets(Number.MAX_SAFE_INTEGER, 100)).toEqual([2_990]);
  });

  it('begin again with each attempt', async () => {
    await append('one\n');
    await createRunLogWriter(workshop.logsDir, clock).begin({ ...run, attempt: 2 });
    nowMs += 10;
    await append('two\n');
    expect(await readTimes()).toEqual([
      { offset: 0, atMs: NOW },
      { offset: 4, atMs: NOW },
    ]);
  });

  it('continue after the clock was set back', async () => {
    await append('one\n');
    nowMs = NOW - 3_600_000;
    await append('two\n');
    await append('three\n');
    expect((await readTimes()).map(({ atMs }) => atMs)).toEqual([NOW, nowMs]);
  });

  it('are those of the output of a command, also in later attempts', async () => {
    const executor = workshop.executor(['echo', 'hello'], { clock });
    await execute(executor, makeRunInput({ run }));
    nowMs += 60_000;
    await execute(executor, makeRunInput({ run: { ...run, attempt: 2 } }));
    expect(await workshop.log(run.id)).toMatch(/^hello\n\n\[dockbell: attempt 2, .*\]\nhello\n$/);
    expect(await readTimes()).toEqual([
      { offset: 0, atMs: NOW },
      { offset: 6, atMs: NOW + 60_000 },
    ]);
  });

  it('are empty for a log without output', async () => {
    await execute(workshop.executor(['true'], { clock }), makeRunInput({ run }));
    expect(await readTimes()).toEqual([]);
    expect((await stat(timesFile())).mode & 0o777).toBe(0o600);
  });

  it('become fewer in a very long log', async () => {
    const writer = await LogTimesWriter.open({ path: timesFile(), logBytes: 0, isNewAttempt: true, clock });
    for (let second = 0; second < 10_000; second += 1) {
      nowMs = NOW + second * 1_000;
      await writer.note(second);
    }
    await writer.close();
    const offsets = (await readTimes(0, 100_000)).map(({ offset }) => offset);
    expect(offsets.length).toBe(7_200 + 1_400);
    expect(offsets.slice(7_198, 7_203)).toEqual([7_198, 7_199, 7_201, 7_203, 7_205]);
  });
});

describe('after a crash', () => {
  it('an entry that was written in part is overwritten', async () => {
    await appendLines(3, 1_000);
    const { size } = await stat(timesFile());
    await truncate(timesFile(), size - 7);
    expect(await readTimes()).toHaveLength(2);
    nowMs += 1_000;
    await append('next\n');
    expect((await readTimes()).map(({ offset }) => offset)).toEqual([0, 10, 30]);
  });

  it('entries of output that was lost are removed', async () => {
    await appendLines(5, 1_000);
    await truncate(join(workshop.logsDir, `${run.id}.log`), 20);
    nowMs += 60_000;
    await append('next\n');
    expect(await readTimes()).toEqual([
      { offset: 0, atMs: NOW },
      { offset: 10, atMs: NOW + 1_000 },
      { offset: 20, atMs: nowMs },
    ]);
  });
});

describe('times that a run has changed', () => {
  it.each([
    ['text', 'x'.repeat(1_000)],
    ['an offset that is not a number', `${'x'.repeat(16)} 2026-01-02T03:04:05.000Z\n`],
    ['an offset that is too large', `${'9'.repeat(16)} 2026-01-02T03:04:05.000Z\n`],
    ['a time that does not exist', '0000000000000000 2026-13-02T03:04:05.000Z\n'],
    ['bytes of no character', '\u0000\u00ff'.repeat(100)],
  ])('are ignored: %s', async (_, content) => {
    await writeFile(timesFile(), content);
    expect(await readTimes()).toEqual([]);
    await append('one\n');
    expect(await readTimes()).toEqual([{ offset: 0, atMs: NOW }]);
  });

  it('do not hide the entries around them', async () => {
    await appendLines(2, 1_000);
    await appendFile(timesFile(), `${'x'.repeat(41)}\n`);
    expect((await readTimes()).map(({ offset }) => offset)).toEqual([0, 10]);
    expect(await readFile(timesFile(), 'utf8')).toMatch(/^0000000000000000 2026-01-02T03:04:05\.000Z\n/);
  });
});
