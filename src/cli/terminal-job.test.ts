import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { hasProgram } from '../../test/helpers/has-program.ts';
import { createTempDir } from '../../test/helpers/temp-dir.ts';

const MODULE = fileURLToPath(new URL('./terminal-job.ts', import.meta.url));
const PRINT = `import { terminalJob } from '${MODULE}'; console.log('foreground ' + terminalJob.isForeground());`;

const runInTerminal = (command: string) =>
  spawnSync('script', ['--quiet', '--command', command, join(createTempDir('job'), 'typescript')], {
    env: { ...process.env, SHELL: '/bin/sh', NODE: process.execPath, PRINT },
    stdio: ['pipe', 'pipe', 'pipe'],
    encoding: 'utf8',
    timeout: 20_000,
  }).stdout;

it.runIf(process.platform === 'linux' && hasProgram('script'))(
  'is in the foreground of its terminal, unless the shell started it in the background',
  () => {
    const run = '"$NODE" --input-type=module -e "$PRINT"';
    expect(runInTerminal(run)).toContain('foreground true');
    expect(runInTerminal(`set -m; ${run} & wait`)).toContain('foreground false');
  },
);
