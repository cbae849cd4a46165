import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadMasterKey } from '../../src/platform/secrets/load-master-key.ts';
import { eventually } from '../helpers/eventually.ts';
import { runNodeUntilStep, startNodeUntilStep } from '../helpers/run-until-step.ts';

const KEY = randomBytes(32);
const TEXT = KEY.toString('base64');
const CREATE_KEY = `
  import { loadMasterKey } from ${JSON.stringify(new URL('../../src/platform/secrets/load-master-key.ts', import.meta.url))};
  await loadMasterKey({ masterKeyFile: process.argv[1], environmentValue: undefined, createIfMissing: true });
`;
let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dockbell-key-'));
  path = join(folder, 'keys', 'master.key');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const load = (options: { environmentValue?: string; createIfMissing?: boolean } = {}) =>
  loadMasterKey({ masterKeyFile: path, environmentValue: undefined, createIfMissing: false, ...options });

/** Root can remove files from every folder, but not immutable ones. Returns the undo; `null` if it is not possible. */
function protectFromRemoval(file: string): (() => void) | null {
  if (process.getuid?.() !== 0) {
    chmodSync(dirname(file), 0o500);
    return () => chmodSync(dirname(file), 0o700);
  }
  const isImmutable = spawnSync('chattr', ['+i', file]).status === 0;
  return isImmutable ? () => void spawnSync('chattr', ['-i', file]) : null;
}

async function writeKey(text: string, mode = 0o600): Promise<void> {
  path = join(folder, 'master.key');
  await writeFile(path, text);
  await chmod(path, mode);
}

describe('a missing file', () => {
  it('is created, readable only by its owner, and has the same key when it is read again', async () => {
    const made = await load({ createIfMissing: true });
    expect(made.origin).toBe('created');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'keys'))).mode & 0o777).toBe(0o700);
    const again = await load({ createIfMissing: true });
    expect([again.origin, Buffer.from(again.key).equals(made.key), again.warning]).toEqual(['file', true, null]);
  });

  it('gets one key from concurrent callers', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => load({ createIfMissing: true })));
    const found = keys.map(({ key }) => Buffer.from(key).toString('base64'));
    expect(new Set(found).size).toBe(1);
    expect(await readFile(path, 'utf8')).toBe(`${found[0]}\n`);
    expect(await readdir(dirname(path))).toEqual(['master.key']);
  });

  it('is not created again by a process whose draft the creating process removed', async () => {
    const program = ['--input-type=module', '--eval', CREATE_KEY, path];
    const other = startNodeUntilStep(1, program, { STEP_SIGNAL: 'SIGSTOP' });
    const ended = new Promise((resolve) => other.once('exit', resolve));
    await eventually(() => existsSync(dirname(path)) && readdirSync(dirname(path)).length === 1);
    const { key } = await load({ createIfMissing: true });
    // The process may not have stopped yet, and then one signal would be lost.
    const waking = setInterval(() => other.kill('SIGCONT'), 20);
    const code = await ended;
    clearInterval(waking);
    expect(code).toBe(0);
    expect(Buffer.from((await load()).key)).toEqual(Buffer.from(key));
  });

  it('leaves no copy of the key, at each step at which its creation can be killed', async () => {
    const leftovers: string[][] = [];
    for (let step = 1, isComplete = false; !isComplete; step++) {
      path = join(folder, `keys-${step}`, 'master.key');
      isComplete = await runNodeUntilStep(step, ['--input-type=module', '--eval', CREATE_KEY, path]);
      leftovers.push((await readdir(dirname(path))).filter((name) => name !== 'master.key'));
      await load({ createIfMissing: true });
      expect(await readdir(dirname(path)), `after a kill at step ${step}`).toEqual(['master.key']);
    }
    const draft = [expect.stringMatching(/^master\.key\..+\.tmp$/)];
    expect(leftovers, 'before the link, before the removal of the draft, complete').toEqual([draft, draft, []]);
  });

  it('is not created if sealed values exist', async () => {
    await expect(load()).rejects.toMatchObject({ code: 'config_invalid', message: expect.stringContaining(path) });
    await expect(stat(path)).rejects.toThrow();
  });
});

describe('an existing file', () => {
  it.each([0o644, 0o604, 0o602, 0o620, 0o666])('with mode %o is rejected with the command to run', async (mode) => {
    await writeKey(TEXT, mode);
    await expect(load()).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('chmod 600'),
    });
  });

  it('readable by its group is accepted, with a warning', async () => {
    await writeKey(TEXT, 0o640);
    expect((await load()).warning).toContain('readable by its group');
  });

  it('can be a link, like mounted secrets', async () => {
    await writeKey(`${TEXT}\n`, 0o400);
    await symlink(path, join(folder, 'link'));
    path = join(folder, 'link');
    expect(Buffer.from((await load()).key)).toEqual(KEY);
  });

  it('is used, with a warning, if the temporary file of a killed start cannot be removed', async ({ skip }) => {
    await writeKey(TEXT);
    const draft = `${path}.0123456789abcdef.tmp`;
    await writeFile(draft, TEXT);
    const makeRemovable = protectFromRemoval(draft);
    if (makeRemovable === null) return skip('this file system has no immutable files');
    try {
      const loaded = await load({ createIfMissing: true });
      expect(Buffer.from(loaded.key)).toEqual(KEY);
      expect(loaded.warning).toContain(`Temporary files of the master key file ${path} cannot be removed`);
    } finally {
      makeRemovable();
    }
  });

  it('that cannot be read is an error, not a new key', async () => {
    path = folder;
    await expect(load({ createIfMissing: true })).rejects.toMatchObject({ code: 'config_invalid' });
  });
});

describe('a malformed key', () => {
  const cases: [name: string, text: string, message: string][] = [
    ['empty', ' \n', 'is empty'],
    ['too short', randomBytes(16).toString('base64'), 'has 16 bytes'],
    ['too long', randomBytes(33).toString('base64'), 'has 33 bytes'],
    ['cut', TEXT.slice(0, 20), 'has 15 bytes'],
    ['no base64', 'correct horse battery staple', 'is not base64'],
    ['hexadecimal', KEY.toString('hex'), 'has 48 bytes'],
  ];
  it.each(cases)('that is %s is rejected without quoting it', async (_name, text, message) => {
    await writeKey(text);
    for (const options of [{}, { environmentValue: text }]) {
      const error = await load(options).catch((thrown: Error) => thrown);
      expect(error).toMatchObject({ code: 'config_invalid', message: expect.stringContaining(message) });
      if (text.trim() !== '') expect((error as Error).message).not.toContain(text.trim());
    }
    expect(await readFile(path, 'utf8')).toBe(text);
  });
});

describe('the environment variable', () => {
  it('takes precedence over the file and does not change it', async () => {
    await writeKey('not a key');
    const loaded = await load({ environmentValue: TEXT, createIfMissing: true });
    expect([loaded.origin, Buffer.from(loaded.key).equals(KEY)]).toEqual(['environment', true]);
    expect(await readFile(path, 'utf8')).toBe('not a key');
  });
});
