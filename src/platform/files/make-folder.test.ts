import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from './make-folder.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'dockbell-folder-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('makeFolder', () => {
  it.each([false, true])('creates each missing folder with the mode, if durable: %s', async (isDurable) => {
    await makeFolder(join(dir, 'a/b/c'), { mode: 0o700, isDurable });
    for (const path of ['a', 'a/b', 'a/b/c']) expect(statSync(join(dir, path)).mode & 0o777).toBe(0o700);
  });

  it('leaves an existing folder as it is', async () => {
    mkdirSync(join(dir, 'a'), { mode: 0o755 });
    await makeFolder(join(dir, 'a'), { mode: 0o700 });
    expect(statSync(join(dir, 'a')).mode & 0o777).toBe(0o755);
  });

  it('lets callers that come at the same moment all succeed', async () => {
    await Promise.all(Array.from({ length: 8 }, () => makeFolder(join(dir, 'a/b/c'))));
  });

  it.each([
    ['a', 'EEXIST', /a file is in its place/],
    ['a/b/c', 'ENOTDIR', /a part of the path is a file/],
  ])('explains that a file is in the way of %s', async (path, code, message) => {
    writeFileSync(join(dir, 'a'), '');
    await expect(makeFolder(join(dir, path))).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it.runIf(process.platform === 'linux').each(['/proc/dockbell', '/proc/dockbell/a/b'])(
    'ends with a sentence below %s',
    async (path) => {
      await expect(makeFolder(path)).rejects.toMatchObject({
        code: 'ENOENT',
        message: expect.stringMatching(/^The folder \/proc\/dockbell.* cannot be created \(ENOENT\): no folders/),
      });
    },
  );
});
