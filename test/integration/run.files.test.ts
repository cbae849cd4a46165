import { access, chmod, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFolders } from '../../src/runs/executors/files/remove-run-folder.ts';
import { createRunFiles } from '../../src/runs/executors/files/run-files.ts';
import { createRunLogReader } from '../../src/runs/executors/log/run-log.ts';
import { createStartRecords } from '../../src/runs/executors/start-records.ts';
import { execute, makeRunInput, newRunId, openWorkshop, type Workshop } from '../helpers/command-runs.ts';

let workshop: Workshop;
beforeEach(async () => {
  workshop = await openWorkshop();
});
afterEach(() => workshop.close());

const text = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString());

describe('start records', () => {
  it('are created once per attempt, also by concurrent callers', async () => {
    const records = createStartRecords(join(workshop.dir, 'tickets'));
    const run = newRunId();
    expect(await records.exists(run, 1)).toBe(false);
    const taken = await Promise.all(Array.from({ length: 20 }, () => records.create(run, 1)));
    expect(taken.filter(Boolean)).toHaveLength(1);
    expect(await records.exists(run, 1)).toBe(true);
    expect(await records.exists(run, 2)).toBe(false);
    expect(await records.create(run, 2)).toBe(true);
    expect((await stat(join(workshop.dir, 'tickets', run))).mode & 0o777).toBe(0o700);
  });

  it('exist for the next daemon, until the run is deleted', async () => {
    const run = newRunId();
    await createStartRecords(join(workshop.dir, 'tickets')).create(run, 1);
    const records = createStartRecords(join(workshop.dir, 'tickets'));
    expect(await records.create(run, 1)).toBe(false);
    await records.delete(run);
    await records.delete(run);
    expect(await records.exists(run, 1)).toBe(false);
    expect(await readdir(join(workshop.dir, 'tickets'))).toEqual([]);
  });
});

describe('the log of a run', () => {
  it('is read in pieces', async () => {
    const input = makeRunInput();
    await execute(workshop.executor(['printf', '0123456789']), input);
    const reader = createRunLogReader(workshop.logsDir);
    expect(text(await reader.read(input.run.id, 0, 4))).toBe('0123');
    expect(text(await reader.read(input.run.id, 4, 100))).toBe('456789');
    expect(text(await reader.read(input.run.id, 10, 100))).toBe('');
    expect(text(await reader.read(input.run.id, 99, 100))).toBe('');
  });

  it('can be read while the run continues, and is `null` for a run without a log', async () => {
    const reader = createRunLogReader(workshop.logsDir);
    expect(await reader.read(newRunId(), 0, 10)).toBeNull();
  });
});

describe('removing the files of a run', () => {
  it('removes its directories, its log with its times, and its start records, and nothing of other runs', async () => {
    const startRecords = createStartRecords(join(workshop.dir, 'tickets'));
    const files = createRunFiles({ ...workshop, startRecordsDir: join(workshop.dir, 'tickets'), startRecords });
    const executor = workshop.executor(['echo', 'hello']);
    const [gone, kept] = [makeRunInput(), makeRunInput()];
    await execute(executor, gone);
    await execute(executor, kept);
    await files.removeRunFiles(gone.run.id);
    await files.removeRunFiles(gone.run.id);
    expect(await readdir(workshop.runsDir)).toEqual([kept.run.id]);
    expect((await readdir(workshop.logsDir)).sort()).toEqual([`${kept.run.id}.log`, `${kept.run.id}.times`]);
    expect(await startRecords.exists(gone.run.id, 1)).toBe(false);
    expect(await startRecords.exists(kept.run.id, 1)).toBe(true);
  });

  it('makes read-only folders writable first, and does not follow links', async () => {
    // Asked for on its own, because the superuser may write to every folder and tests may run as that.
    const tree = join(workshop.dir, 'tree');
    const outside = join(workshop.dir, 'outside');
    await mkdir(join(tree, 'cache', 'module'), { recursive: true });
    await mkdir(outside);
    await symlink(outside, join(tree, 'cache', 'module', 'link'));
    for (const folder of [join(tree, 'cache', 'module'), join(tree, 'cache'), outside]) await chmod(folder, 0o500);
    await openFolders(tree);
    const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
    expect(await modeOf(join(tree, 'cache', 'module'))).toBe(0o700);
    expect(await modeOf(join(tree, 'cache'))).toBe(0o700);
    expect(await modeOf(outside)).toBe(0o500);
  });

  it('removes a tree with such folders, but not the targets of its links', async () => {
    const startRecords = createStartRecords(join(workshop.dir, 'tickets'));
    const files = createRunFiles({ ...workshop, startRecordsDir: join(workshop.dir, 'tickets'), startRecords });
    const run = newRunId();
    const locked = join(workshop.runsDir, run, '1', 'cache');
    await mkdir(locked, { recursive: true });
    await writeFile(join(workshop.dir, 'precious'), 'x');
    await symlink(workshop.dir, join(locked, 'link'));
    await chmod(locked, 0o500);
    await files.removeRunFiles(run);
    expect(await readdir(workshop.runsDir)).toEqual([]);
    await access(join(workshop.dir, 'precious'));
  });
});

describe('the list of runs with files', () => {
  it('contains runs with only a directory, a log, its times or a start record, and nothing else', async () => {
    const startRecordsDir = join(workshop.dir, 'tickets');
    const startRecords = createStartRecords(startRecordsDir);
    const files = createRunFiles({ ...workshop, startRecordsDir, startRecords });
    expect(await files.list()).toEqual([]);
    const [byFolder, byLog, byTimes, byRecord] = [newRunId(), newRunId(), newRunId(), newRunId()];
    await mkdir(join(workshop.runsDir, byFolder), { recursive: true });
    await mkdir(workshop.logsDir, { recursive: true });
    await writeFile(join(workshop.logsDir, `${byLog}.log`), 'x');
    await writeFile(join(workshop.logsDir, `${byTimes}.times`), 'x');
    await writeFile(join(workshop.logsDir, 'notes.log'), 'x');
    await writeFile(join(workshop.logsDir, `${newRunId()}.txt`), 'x');
    await startRecords.create(byRecord, 1);
    expect((await files.list()).sort()).toEqual([byFolder, byLog, byTimes, byRecord].sort());
  });
});

describe('a malformed run ID', () => {
  it.each([
    '../../etc',
    'run_',
    'run_../../../../../../../../x',
    'run_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    'run_01arz3ndektsv4rrffq69g5fav/x',
  ])('never becomes part of a path: %s', async (id) => {
    const run = id as `run_${string}`;
    const startRecords = createStartRecords(join(workshop.dir, 'tickets'));
    const files = createRunFiles({ ...workshop, startRecordsDir: join(workshop.dir, 'tickets'), startRecords });
    await expect(files.removeRunFiles(id)).rejects.toMatchObject({ code: 'bad_request' });
    await expect(createRunLogReader(workshop.logsDir).read(run, 0, 1)).rejects.toMatchObject({ code: 'bad_request' });
    await expect(createRunLogReader(workshop.logsDir).times(run, 0, 1)).rejects.toMatchObject({ code: 'bad_request' });
    await expect(startRecords.create(run, 1)).rejects.toMatchObject({ code: 'bad_request' });
    expect((await execute(workshop.executor(['true']), makeRunInput({ run: { id: run } }))).state).toBe('failed');
    expect(await readdir(workshop.dir)).toEqual([]);
  });
});
