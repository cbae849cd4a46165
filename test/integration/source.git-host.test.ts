import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { builtFile } from '../../src/platform/files/package-files.ts';
import { type GitHost, startGitHost } from '../../src/reconcile/source/git-host.ts';
import { runGit } from '../../src/reconcile/source/git-process.ts';
import { createTempGitRepo } from '../helpers/temp-git-repo.ts';

const ENTRY = builtFile('reconcile/source/git-host-process.js');
const environment = { PATH: process.env.PATH };
const LIMITS = { timeoutMs: 20_000, maxOutputBytes: 1_000_000 };

let host: GitHost;
afterEach(() => host.close());

it('starts git in another process, with the outcome that git has in this one', async () => {
  host = startGitHost(ENTRY);
  const repo = await createTempGitRepo();
  const revision = await repo.commit({ 'webhooks/ci.yaml': 'secretName: S\n' });
  const commands = [
    { args: ['ls-tree', '-r', '-z', revision] },
    { args: ['cat-file', '--batch', '--buffer'], stdin: Buffer.from(`${revision}:webhooks/ci.yaml\n`) },
    { args: ['rev-parse', 'nothing'] },
  ];
  for (const command of commands) {
    const order = { ...command, ...LIMITS, gitDir: `${repo.path}/.git`, environment };
    expect(await host.run(order)).toEqual(await runGit(order));
  }
  repo.remove();
});

it('ends git when the caller aborts, and when it takes too long', async () => {
  host = startGitHost(ENTRY);
  // Waits for its input, which does not end.
  const args = ['-c', 'alias.wait=!sleep 5', 'wait'];
  const abort = new AbortController();
  const aborted = host.run({ args, ...LIMITS, environment, signal: abort.signal });
  await wait(200);
  abort.abort();
  expect(await aborted).toEqual({ kind: 'aborted' });
  expect(await host.run({ args, ...LIMITS, timeoutMs: 300, environment })).toEqual({ kind: 'timeout' });
  expect(await host.run({ args: ['version'], ...LIMITS, environment, signal: abort.signal })).toEqual({
    kind: 'aborted',
  });
});

it('fails what is in progress when its process ends, and starts another one', async () => {
  host = startGitHost(ENTRY);
  const parents = await host.run({
    args: ['-c', 'alias.parent=!ps -o ppid= -p $PPID', 'parent'],
    ...LIMITS,
    environment,
  });
  const pid = parents.kind === 'exited' ? Number(parents.stdout.toString()) : Number.NaN;
  expect(pid).toBeGreaterThan(1);
  expect(pid).not.toBe(process.pid);
  const waiting = host.run({ args: ['-c', 'alias.wait=!sleep 5', 'wait'], ...LIMITS, environment });
  process.kill(pid, 'SIGKILL');
  expect(await waiting).toMatchObject({ kind: 'not-started' });
  expect(await host.run({ args: ['version'], ...LIMITS, environment })).toMatchObject({ kind: 'exited', code: 0 });
});
