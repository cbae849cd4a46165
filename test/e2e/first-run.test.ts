import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { sleepUnlessAborted } from '../../src/cli/context.ts';
import { eventually } from '../helpers/eventually.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { runTestGit } from '../helpers/temp-git-repo.ts';

// The experience of a user who has installed the package and follows the README.md that `dockbell init` writes.
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
// Tests run several daemons in parallel, so each uses free ports.
const ENV = { PATH, NODE_COMPILE_CACHE, DOCKBELL_INGRESS_PORT: '0', DOCKBELL_ADMIN_PORT: '0' };
const START_MS = 60_000;

let daemon: ChildProcess | null = null;
afterEach(() => daemon?.kill('SIGKILL'));

function serve(cwd: string): () => string {
  let output = '';
  daemon = spawn(process.execPath, [MAIN, 'serve'], { cwd, env: ENV });
  for (const stream of [daemon.stdout!, daemon.stderr!]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  return () => output;
}

const end = () =>
  new Promise((resolve) => {
    daemon!.once('exit', resolve);
    daemon!.kill('SIGTERM');
  });

/** Runs a command in a separate process. */
function run(cwd: string, argv: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [MAIN, ...argv], { cwd, env: ENV }, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(`dockbell ${argv.join(' ')}: ${stdout}${stderr}`)),
    );
  });
}

/** Runs a command in this process. `cli.process.test.ts` tests the process itself. */
async function runHere(cwd: string, argv: string[], stdin = ''): Promise<string> {
  const { code, stdout, stderr } = await runCli(argv, { cwd, env: ENV, stdin, onSleep: sleepUnlessAborted });
  expect(code, `dockbell ${argv.join(' ')}: ${stdout}${stderr}`).toBe(0);
  return stdout;
}

it('serve without a configuration reports that nothing can start, and what to do', { tags: 'full' }, async () => {
  const folder = createTempDir('no-config');
  const output = serve(folder);
  await eventually(() => output().includes('--config FILE'), START_MS);
  expect(output()).toContain(
    `There is no dockbell.yaml in ${folder} and no factory: no webhook exists and no run can start.`,
  );
  expect(output()).toContain("run 'dockbell init my-factory'");
  expect(await end()).toBe(0);
});

it('the README.md that init writes leads to a run that is executed', async () => {
  const parent = createTempDir('first-run');
  await run(parent, ['init', 'my-factory']);
  const folder = join(parent, 'my-factory');
  await runTestGit(folder, ['init', '-q', '-b', 'main']);
  await runTestGit(folder, ['add', '.']);
  await runTestGit(folder, ['commit', '-qm', 'Add the factory']);
  const output = serve(folder);
  await eventually(() => existsSync(join(folder, '.dockbell/daemon.json')), START_MS);
  expect(output()).not.toContain('nothing can start');
  // The missing secret is a step of the first start, and no incident.
  await eventually(() => output().includes('revision waits for a secret'));
  const waiting = await runCli(['status'], { cwd: folder, env: ENV });
  expect(waiting.code).toBe(1);
  expect(waiting.stdout).toMatch(/^! my-factory\n/m);
  expect(waiting.stdout).toMatch(/To do: .*\n +create it: dockbell secret create INTERNAL_CI_WEBHOOK_SECRET/);
  await runHere(folder, ['secret', 'create', 'INTERNAL_CI_WEBHOOK_SECRET'], 'a secret that nobody else knows\n');
  await runHere(folder, ['status', '--wait', 'HEAD', '--timeout', '60s']);
  const live = await runHere(folder, ['status']);
  expect(live).toMatch(/^✓ my-factory\n/m);
  expect(live).not.toMatch(/To do|Alerts/);
  expect(await runHere(folder, ['alert', 'list', '--state', 'all'])).toBe('No alerts.\n');
  expect(output()).not.toMatch(/WARN|"level":"warn"/);
  const sent = await runHere(folder, [
    'send',
    'internal-ci',
    '--data',
    '{"build": {"status": "failed", "branch": "main"}}',
  ]);
  expect(sent).toMatch(/^202 Accepted dlv_\w{26}: started run_\w{26}\n$/);
  expect(await runHere(folder, ['run', 'log', 'last', '--follow'])).toContain(
    'of triage-ci-failure, started by internal-ci.',
  );
  expect(JSON.parse(await runHere(folder, ['run', 'show', 'last', '--json'])).state).toBe('succeeded');
  expect(await end()).toBe(0);
});
