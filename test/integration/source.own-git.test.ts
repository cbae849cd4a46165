import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useOwnGit } from '../../src/reconcile/source/own-git.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

/** Runs `shell` instead of git, and gives what it printed. */
function runAsGit(shell: string): Promise<string> {
  const dir = createTempDir('own-git');
  writeFileSync(join(dir, 'git'), `#!/bin/sh\n${shell}\n`, { mode: 0o755 });
  const repository = { dir, isBare: true, environment: { PATH: `${dir}:${process.env.PATH}` }, timeoutMs: 20_000 };
  return useOwnGit(repository, (git) => git.raw(['version']));
}

describe('Git for a repository that Dockbell created', () => {
  it.each([
    ['fails without a message', 'exit 3', 'git failed with exit code 3 and without a message'],
    ['fails after some output', 'echo partly; exit 3', 'git reports partly'],
    ['is ended by a signal', 'echo partly; kill -KILL $$', 'git was ended by a signal'],
    ['is ended by a signal after a message', 'echo so >&2; kill -KILL $$', 'git was ended by a signal'],
    ['fails with a message', 'echo one >&2; echo two >&2; exit 1', 'git reports one two'],
  ])('reports an error if it %s', async (_how, shell, message) => {
    await expect(runAsGit(shell)).rejects.toMatchObject({ message });
  });

  it('returns output that arrives after the process ended', async () => {
    expect(await runAsGit('(sleep 0.2; echo late) & echo early')).toBe('early\nlate\n');
  });

  it('does not wait after a command without output', async () => {
    // A wait would be 50 ms each time. A busy machine needs more now and then, but not each time.
    let fastestMs = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 50 && fastestMs >= 50; i++) {
      const startedAt = performance.now();
      expect(await runAsGit('exit 0')).toBe('');
      fastestMs = Math.min(fastestMs, performance.now() - startedAt);
    }
    expect(fastestMs).toBeLessThan(50);
  });
});
