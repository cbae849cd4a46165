import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { lockDataDir } from '../../src/storage/data-dir-lock.ts';
import { eventually } from '../helpers/eventually.ts';
import { useFolder } from '../helpers/with-storage.ts';

const LOCK_MODULE = pathToFileURL(join(import.meta.dirname, '../../src/storage/data-dir-lock.ts')).href;

/** Takes the lock, reports the result, and runs until it receives a message. */
const HOLDER = `
  const { lockDataDir } = await import(process.argv[2]);
  let lock = null;
  try {
    lock = lockDataDir(process.argv[3]);
    process.send({ locked: true });
  } catch (error) {
    process.send({ locked: false, code: error.code, message: error.message });
  }
  process.on('message', () => { lock?.release(); process.exit(0); });
`;

describe('the lock on the data directory (threat model D15)', () => {
  const folder = useFolder();
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  async function startHolder(): Promise<{ child: ChildProcess; answer: Record<string, unknown> }> {
    const script = join(folder.path, 'holder.mjs');
    writeFileSync(script, HOLDER);
    const child = fork(script, [LOCK_MODULE, folder.path], { execArgv: ['--import', 'tsx'] });
    children.push(child);
    const [answer] = await once(child, 'message');
    return { child, answer: answer as Record<string, unknown> };
  }

  it('rejects a second process immediately and names the first', async () => {
    const first = await startHolder();
    expect(first.answer).toEqual({ locked: true });
    const second = await startHolder();
    expect(second.answer).toMatchObject({ locked: false, code: 'data_dir_locked' });
    expect(second.answer.message).toContain(`process ${first.child.pid}`);
    expect(second.answer.message).toContain(folder.path);
  });

  it('is free again when its holder is killed, and names the next holder', async () => {
    const first = await startHolder();
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const second = await startHolder();
    expect(second.answer).toEqual({ locked: true });
    expect(() => lockDataDir(folder.path)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(`process ${second.child.pid}`) }),
    );
  });

  it('is free again when it is released', async () => {
    const { child } = await startHolder();
    child.send('release');
    await once(child, 'exit');
    const lock = lockDataDir(folder.path);
    lock.release();
    expect(existsSync(join(folder.path, 'daemon.pid'))).toBe(false);
  });

  it('cannot be taken twice by one process', () => {
    const lock = lockDataDir(folder.path);
    expect(() => lockDataDir(folder.path)).toThrow(expect.objectContaining({ code: 'data_dir_locked' }));
    // The failed attempt must not release the first lock.
    expect(() => lockDataDir(folder.path)).toThrow(expect.objectContaining({ code: 'data_dir_locked' }));
    lock.release();
    lockDataDir(folder.path).release();
  });

  it('remains with its holder while the holder starts child processes', async () => {
    const lock = lockDataDir(folder.path);
    const { child, answer } = await startHolder();
    expect(answer).toMatchObject({ locked: false, code: 'data_dir_locked' });
    lock.release();
    expect(child.exitCode).toBeNull();
    await eventually(() => {
      lockDataDir(folder.path).release();
      return true;
    });
  });

  it('explains why a folder cannot be locked', () => {
    const missing = join(folder.path, 'missing');
    expect(() => lockDataDir(missing)).toThrow(
      expect.objectContaining({ code: 'storage_broken', message: expect.stringContaining(missing) }),
    );
  });
});
