import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { endGroup, readProcessStat, signalGroup, waitForGroupEnd } from './process-group.ts';

let group = 0;
afterEach(() => void (group > 0 && signalGroup(group, 'SIGKILL')));

/** Starts a shell that leads a group and a second member of that group; waits until both run. */
async function startGroup(trap: string) {
  const script = `${trap} sh -c '${trap} echo ready; while :; do sleep 0.05; done' & wait; while :; do sleep 0.05; done`;
  const child = spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  group = child.pid!;
  await once(child.stdout, 'data');
  return { exited: once(child, 'exit') };
}

describe('endGroup', () => {
  it('ends all members with SIGTERM', async () => {
    const { exited } = await startGroup('');
    await endGroup(group, 10_000);
    expect(await exited).toEqual([null, 'SIGTERM']);
    expect(await waitForGroupEnd(group, 0)).toBe(true);
  });

  it('kills members that ignore SIGTERM after the grace period', async () => {
    const { exited } = await startGroup('trap "" TERM;');
    expect(await waitForGroupEnd(group, 0)).toBe(false);
    await endGroup(group, 100);
    expect(await exited).toEqual([null, 'SIGKILL']);
    expect(await waitForGroupEnd(group, 0)).toBe(true);
  });
});

describe('readProcessStat', () => {
  it.runIf(process.platform === 'linux')('reads state and group', async () => {
    await startGroup('');
    expect(await readProcessStat(String(group))).toEqual({ state: expect.stringMatching(/^[A-Z]$/), group });
    expect(await readProcessStat('0')).toBeNull();
  });
});
