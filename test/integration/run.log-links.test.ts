import { execFileSync } from 'node:child_process';
import { link, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunId } from '../../src/domain/ids.ts';
import { systemClock } from '../../src/domain/time/clock.ts';
import { createRunSpace } from '../../src/runs/executors/files/run-space.ts';
import { createRunLogReader, createRunLogWriter } from '../../src/runs/executors/log/run-log.ts';
import { execute, makeRunInput, openWorkshop, type Workshop } from '../helpers/command-runs.ts';

let workshop: Workshop;
let victim: string;
beforeEach(async () => {
  workshop = await openWorkshop();
  victim = join(workshop.dir, 'precious');
  await writeFile(victim, 'precious\n');
  await mkdir(workshop.logsDir);
});
afterEach(() => workshop.close());

/** Replacements of a log that a run can create. */
const REPLACEMENTS: [title: string, replace: (log: string) => Promise<unknown>][] = [
  ['a symbolic link', (log) => symlink(victim, log)],
  ['a second name of another file', (log) => link(victim, log)],
  ['a pipe', async (log) => execFileSync('mkfifo', [log])],
  ['a folder', (log) => mkdir(log)],
];

describe.each(REPLACEMENTS)('a log that a run has replaced by %s', (title, replace) => {
  const read = (run: RunId) => createRunLogReader(workshop.logsDir).read(run, 0, 1000);
  const readTimes = (run: RunId) => createRunLogReader(workshop.logsDir).times(run, 0, 1000);
  const timesOf = (run: RunId) => join(workshop.logsDir, `${run}.times`);
  const logOf = (run: RunId) => join(workshop.logsDir, `${run}.log`);

  it('is not read', async () => {
    const { run } = makeRunInput();
    await replace(logOf(run.id));
    expect(await read(run.id)).toBeNull();
  });

  it('is replaced by a log when the next attempt starts or a worker writes', async () => {
    const [second, pulled] = [makeRunInput({ run: { attempt: 2 } }), makeRunInput()];
    await replace(logOf(second.run.id));
    expect(await execute(workshop.executor(['echo', 'secret']), second)).toMatchObject({ state: 'succeeded' });
    expect(await workshop.log(second.run.id)).toMatch(/^\n\[dockbell: attempt 2, .*\]\nsecret\n$/);
    await replace(logOf(pulled.run.id)).catch(() => undefined);
    await createRunLogWriter(workshop.logsDir, systemClock).append(pulled.run, 'from a worker\n');
    expect(await workshop.log(pulled.run.id)).toBe('from a worker\n');
    expect(await readFile(victim, 'utf8')).toBe('precious\n');
  });

  it('is neither read nor written if it is the file with the times', async () => {
    const { run } = makeRunInput();
    await writeFile(victim, '0000000000000000 2026-01-02T03:04:05.000Z\n');
    await replace(timesOf(run.id));
    expect(await readTimes(run.id)).toEqual([]);
    await createRunLogWriter(workshop.logsDir, systemClock).append(run, 'from a worker\n');
    expect((await readTimes(run.id)).map(({ offset }) => offset)).toEqual([0]);
    expect(await readFile(victim, 'utf8')).toBe('0000000000000000 2026-01-02T03:04:05.000Z\n');
  });

  it.skipIf(title === 'a folder')('is replaced by the line about the removal', async () => {
    const input = makeRunInput();
    await execute(workshop.executor(['rm', logOf(input.run.id)]), input);
    await replace(logOf(input.run.id));
    const space = createRunSpace({ runsDir: workshop.runsDir, logsDir: workshop.logsDir, clock: systemClock });
    const freed = await space.free({ limitBytes: 0, hasEnded: async () => true, isStopped: () => false });
    expect(freed).toMatchObject({ runs: 1, stuck: [] });
    expect(await readTimes(input.run.id)).toEqual([]);
    expect(await workshop.log(input.run.id)).toMatch(/^\[dockbell: log and files of this run were removed/);
    expect(await readFile(victim, 'utf8')).toBe('precious\n');
  });
});
