import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findRunUser, openRunsDir, type RunUser } from '../../src/runs/executors/command/run-user.ts';
import { createRunFiles } from '../../src/runs/executors/files/run-files.ts';
import { createStartRecords } from '../../src/runs/executors/start-records.ts';
import { execute, makeRunInput, openWorkshop, SEARCH_PATH, type Workshop } from '../helpers/command-runs.ts';

const isRoot = process.getuid?.() === 0;
const AGENT: RunUser = { name: '12345:12346', uid: 12345, gid: 12346 };
const OTHER: RunUser = { name: '12347:12347', uid: 12347, gid: 12347 };

let workshop: Workshop;
beforeEach(async () => {
  workshop = await openWorkshop();
  if (!isRoot) return;
  await chmod(workshop.dir, 0o711);
  await openRunsDir(workshop.runsDir, AGENT, SEARCH_PATH);
});
afterEach(() => workshop.close());

/** Runs a script as a user and answers with what it printed. */
async function runScript(script: string, user: RunUser | null = AGENT, input = makeRunInput()): Promise<string> {
  const result = await execute(workshop.executor(['sh', '-c', script], { user }), input);
  expect(result).toMatchObject({ state: 'succeeded' });
  return workshop.log(input.run.id);
}

describe.skipIf(!isRoot)('a run with a user', () => {
  it('has only the permissions of this user, and no group of the daemon', async () => {
    const log = await runScript('grep -E "^(Uid|Gid|Groups):" /proc/self/status');
    expect(log.split(/\s+/).filter((word) => word !== '')).toEqual([
      'Uid:',
      ...Array(4).fill('12345'),
      'Gid:',
      ...Array(4).fill('12346'),
      'Groups:',
    ]);
  });

  it('can read its files, write to its directories and open its output again', async () => {
    const input = makeRunInput();
    const script =
      'head -c 7 prompt.md; cat "$DOCKBELL_PAYLOAD" run.json > copy; echo x > "$TMPDIR/y"; head -c 3; ls "$HOME"; echo late > /dev/stderr';
    const files = 'copy\nevent-payload.json\nprompt.md\nrun.json\n';
    expect(await runScript(script, AGENT, input)).toBe(`Fix theFix${files}late\n`);
    const folder = join(workshop.runsDir, input.run.id);
    expect(await readdir(folder)).toEqual(['1']);
    expect(await stat(join(folder, '1'))).toMatchObject({ uid: AGENT.uid, gid: AGENT.gid, mode: 0o40700 });
    expect((await stat(folder)).uid).toBe(0);
  });

  it('can read neither the data directory, nor the environment of the daemon, nor other runs', async () => {
    const dataDir = join(workshop.dir, 'data');
    await mkdir(dataDir, { mode: 0o700 });
    await writeFile(join(dataDir, 'admin-token'), 'dbk_canary', { mode: 0o644 });
    const other = makeRunInput();
    await runScript('true', OTHER, other);
    const places = [
      join(dataDir, 'admin-token'),
      '/proc/$PPID/environ',
      join(workshop.logsDir, `${other.run.id}.log`),
      join(workshop.runsDir, other.run.id, '1', 'prompt.md'),
      join(workshop.runsDir, other.run.id, '1', 'event-payload.json'),
    ];
    const log =
      await runScript(`for f in ${places.map((place) => `"${place}"`).join(' ')}; do cat "$f" 2>&1 || true; done
      ls "$HOME/../.." 2>&1 || true; rm -rf "$HOME/../../${other.run.id}" 2>/dev/null || true`);
    expect(log.match(/Permission denied/g)).toHaveLength(places.length + 1);
    expect(log.trim().split('\n')).toHaveLength(places.length + 1);
    expect(await readFile(places[4]!, 'utf8')).toBe('{"a":1}');
  });

  it('cannot redirect the removal of its directory with a symbolic link', async () => {
    const input = makeRunInput();
    const victim = join(workshop.dir, 'victim');
    await mkdir(victim);
    await writeFile(join(victim, 'precious'), '');
    await runScript(
      `ln -s ${victim} link; mkdir deep; chmod 0 deep; mkdir -p a/b; ln -s ${victim} a/b/c`,
      AGENT,
      input,
    );
    const startRecordsDir = join(workshop.dir, 'tickets');
    const startRecords = createStartRecords(startRecordsDir);
    const files = createRunFiles({
      runsDir: workshop.runsDir,
      logsDir: workshop.logsDir,
      startRecordsDir,
      startRecords,
    });
    // What root owns in the directory shows who removes it: the user may not, root would.
    const work = join(workshop.runsDir, input.run.id, '1');
    await mkdir(join(work, 'of-root'));
    await writeFile(join(work, 'of-root', 'file'), '');
    await expect(files.removeRunFiles(input.run.id)).rejects.toThrow(/ENOTEMPTY/);
    await chown(join(work, 'of-root'), AGENT.uid, AGENT.gid);
    await files.removeRunFiles(input.run.id);
    expect(await readdir(workshop.runsDir)).toEqual([]);
    expect(await readdir(victim)).toEqual(['precious']);
  });

  it('without permission to execute the command fails with the name of the user', async () => {
    const file = join(workshop.dir, 'agent.sh');
    await writeFile(file, '#!/bin/sh\n', { mode: 0o700 });
    expect(await execute(workshop.executor([file], { user: AGENT }), makeRunInput())).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('not executable for user 12345:12346'),
    });
  });
});

describe('the user of runs', () => {
  it.skipIf(!isRoot)('can be a name or numbers', async () => {
    const nobody = {
      uid: Number(execFileSync('id', ['-u', 'nobody'])),
      gid: Number(execFileSync('id', ['-g', 'nobody'])),
    };
    expect(await findRunUser('nobody', SEARCH_PATH)).toEqual({ name: 'nobody', ...nobody });
    expect(await findRunUser('12345:12346', SEARCH_PATH)).toEqual(AGENT);
  });

  it.skipIf(!isRoot).each([
    ['nobody-of-that-name', /does not have this user/],
    ['root', /permissions of the daemon/],
    ['0:5', /permissions of the daemon/],
    ['5:0', /permissions of the daemon/],
  ])('is rejected as %s', async (name, problem) => {
    await expect(findRunUser(name, SEARCH_PATH)).rejects.toThrow(problem);
  });

  it.skipIf(isRoot)('is rejected if the daemon is not root', async () => {
    await expect(findRunUser('nobody', SEARCH_PATH)).rejects.toThrow(/runs as root/);
  });

  it.skipIf(!isRoot)('is rejected if it cannot enter the folder of the runs', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'dockbell-closed-'));
    try {
      await expect(openRunsDir(join(dir, 'runs'), AGENT, SEARCH_PATH)).rejects.toThrow(/cannot enter .*set runsDir/);
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});
