import { link, mkdir, readdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Logger } from '../../src/domain/ports/logger.ts';
import type { ArtifactOwner, RunArtifacts } from '../../src/domain/ports/run-files.ts';
import { keepArtifacts, openInside } from '../../src/runs/executors/files/keep-artifacts.ts';
import { createRunArtifacts } from '../../src/runs/executors/files/run-artifacts.ts';
import { createRunFiles } from '../../src/runs/executors/files/run-files.ts';
import { createStartRecords } from '../../src/runs/executors/start-records.ts';
import { execute, makeRunInput, newRunId, openWorkshop, silentLogger, type Workshop } from '../helpers/command-runs.ts';

let workshop: Workshop;
let artifacts: RunArtifacts;
beforeEach(async () => {
  workshop = await openWorkshop();
  artifacts = createRunArtifacts(workshop.runsDir);
});
afterEach(() => workshop.close());

/** Executes a script that names these paths as its artifacts. */
async function runWith(script: string, paths: string[], secrets: Record<string, string> = {}) {
  const problems: unknown[] = [];
  const logger: Logger = { ...silentLogger, warn: ({ problem }: { problem?: unknown }) => problems.push(problem) };
  const result = JSON.stringify({ artifacts: paths.map((path) => ({ name: `the ${path}`, path })) });
  const command = ['sh', '-c', `${script}\nprintf '%s' '${result}' > result.json`];
  const input = makeRunInput();
  const { state, output } = await execute(workshop.executor(command, { logger }), input, { secrets });
  expect([state, output?.problem]).toEqual(['succeeded', null]);
  return { owner: { run: input.run.id, attempt: 1 } satisfies ArtifactOwner, problems };
}

async function read(owner: ArtifactOwner, number: number): Promise<string | null> {
  const file = await artifacts.open(owner, number);
  if (file === null) return null;
  const text = Buffer.concat(await file.content.toArray()).toString();
  expect(file.size).toBe(Buffer.byteLength(text));
  return text;
}

describe('the artifacts of a command', () => {
  it('are copied by number, and keep their content', async () => {
    const script = 'mkdir out; echo one > out/a.html; : > empty';
    const { owner } = await runWith(script, ['out/a.html', 'empty']);
    expect([...(await artifacts.sizes(owner))].sort()).toEqual([
      [1, 4],
      [2, 0],
    ]);
    await writeFile(join(workshop.runsDir, owner.run, '1/out/a.html'), 'changed later');
    expect([await read(owner, 1), await read(owner, 2), await read(owner, 3)]).toEqual(['one\n', '', null]);
  });

  it('show no secret of the run', async () => {
    const { owner } = await runWith('echo "with $TOKEN" > report', ['report'], { TOKEN: 'correct-horse' });
    expect(await read(owner, 1)).toBe('with [redacted]\n');
  });

  it('do not include files with two names or over the limits, and the others stay', async () => {
    const { owner, problems } = await runWith('echo x > a; ln a b; truncate -s 52428801 large', ['b', 'large']);
    expect([await artifacts.sizes(owner), problems]).toEqual([
      new Map(),
      ['it is not a regular file with one name', 'it is larger than 50.0 MiB'],
    ]);
    const omitted: string[] = [];
    const folder = join(workshop.dir, 'copies');
    for (const [name, size] of Object.entries({ a: 6, b: 5, c: 6, d: 11 })) {
      await writeFile(join(workshop.dir, name), 'x'.repeat(size));
    }
    await keepArtifacts(
      ['a', 'b', 'c', 'd', 'none'].map((name) => ({ name, path: name })),
      {
        work: workshop.dir,
        folder,
        createMask: null,
        limits: { maxBytes: 10, maxTotalBytes: 12 },
        onOmitted: (path) => omitted.push(path),
      },
    );
    expect([(await readdir(folder)).sort(), omitted]).toEqual([
      ['1', '2'],
      ['c', 'd', 'none'],
    ]);
  });

  it('are removed with the files of their run', async () => {
    const { owner } = await runWith('echo x > a', ['a']);
    const startRecordsDir = join(workshop.dir, 'tickets');
    const { runsDir, logsDir } = workshop;
    const startRecords = createStartRecords(startRecordsDir);
    await createRunFiles({ runsDir, logsDir, startRecordsDir, startRecords }).removeRunFiles(owner.run);
    expect(await readdir(runsDir)).toEqual([]);
    expect(await read(owner, 1)).toBeNull();
  });
});

describe('a file that a run names', () => {
  it.each([
    ['is a link', async (dir: string) => symlink('/etc/passwd', join(dir, 'file'))],
    [
      'is behind a link',
      async (dir: string) => {
        await symlink('/etc', join(dir, 'sub'));
        await symlink('sub/passwd', join(dir, 'file'));
      },
    ],
  ])('is not opened if it %s', async (_what, prepare) => {
    await prepare(workshop.dir);
    await expect(openInside(workshop.dir, 'file')).rejects.toThrow('ELOOP');
    await expect(openInside(workshop.dir, 'sub/passwd')).rejects.toThrow(/ENOTDIR|ENOENT|ELOOP/);
  });

  it('is never one outside of the directory, although its folders are replaced all the time', async () => {
    const [dir, other] = [join(workshop.dir, 'dir'), join(workshop.dir, 'other')];
    for (const folder of [dir, other]) await mkdir(join(folder, 'sub'), { recursive: true });
    await writeFile(join(dir, 'sub/file'), 'inside');
    await writeFile(join(other, 'sub/file'), 'outside');
    let isDone = false;
    const replacing = (async () => {
      while (!isDone) {
        await rename(join(dir, 'sub'), join(dir, 'kept'));
        await symlink(join(other, 'sub'), join(dir, 'sub'));
        await rm(join(dir, 'sub'));
        await rename(join(dir, 'kept'), join(dir, 'sub'));
      }
    })();
    const texts = new Set<string>();
    // Most attempts meet a moment without the folder, on a slow machine sometimes the first 500 of them.
    for (let i = 0; i < 500 || (texts.size === 0 && i < 50_000); i++) {
      const file = await openInside(dir, 'sub/file').catch(() => null);
      if (file === null) continue;
      texts.add(await file.readFile('utf8'));
      await file.close();
    }
    isDone = true;
    await replacing;
    expect([...texts]).toEqual(['inside']);
  });
});

describe('the artifacts that a worker sends', () => {
  const part = (offset: number, text: string, size = 6, number = 1) => ({
    number,
    size,
    offset,
    bytes: Buffer.from(text),
  });

  it('appear when they are complete, and a part may be repeated', async () => {
    const owner = { run: newRunId(), attempt: 2 };
    await artifacts.store(owner, part(0, 'abc'));
    expect(await artifacts.sizes(owner)).toEqual(new Map());
    await artifacts.store(owner, part(0, 'abc'));
    await artifacts.store(owner, part(3, 'def'));
    await artifacts.store(owner, part(3, 'def'));
    expect(await read(owner, 1)).toBe('abcdef');
    expect(await artifacts.sizes({ ...owner, attempt: 1 })).toEqual(new Map());
  });

  it('are rejected if a part is missing, or over the limit of an attempt', async () => {
    const owner = { run: newRunId(), attempt: 1 };
    await expect(artifacts.store(owner, part(3, 'def'))).rejects.toThrow('Send the part at offset 0 first.');
    await artifacts.store(owner, part(0, 'x', 1, 9));
    await truncate(join(workshop.runsDir, owner.run, '1.artifacts/9'), 104_857_600 - 5);
    await expect(artifacts.store(owner, part(0, 'abcdef'))).rejects.toThrow('at most 100.0 MiB together');
    await artifacts.store(owner, part(0, 'abcde', 5));
  });

  it('are not read through a link', async () => {
    const owner = { run: newRunId(), attempt: 1 };
    await artifacts.store(owner, part(0, 'abcdef'));
    const folder = join(workshop.runsDir, owner.run, '1.artifacts');
    await symlink('/etc/passwd', join(folder, '2'));
    await link(join(folder, '1'), join(folder, '3'));
    expect([await read(owner, 2), await read(owner, 3)]).toEqual([null, 'abcdef']);
  });
});
