import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderPipeline } from '../../src/cli/offline/scaffold-checks.ts';
import { readDocument } from '../helpers/documents.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createSeededServer, createSeededServices } from '../helpers/seeded-services.ts';
import { runTestGit } from '../helpers/temp-git-repo.ts';

// Runs the checks that teams copy, step by step as their hosts do. `npm` is replaced: its build writes a command line into the
// fetched source. Any other use of npm or npx fails. In most tests, it is a small script that passes its
// arguments to this process, because starting the real one takes most of the time of such a test.
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** Sends its arguments, folder and environment to the socket next to `bin`, and exits with the code of the response. */
const RELAY = `import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
const socket = connect(process.env.PATH.split('/bin:')[0] + '/cli.sock');
socket.end(JSON.stringify({ argv: process.argv.slice(2), cwd: process.cwd(), env: process.env }));
const { code, stdout, stderr } = JSON.parse(await text(socket));
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = code;
`;

/** Each a repository by name, and the options of `init` that make it. */
const GITHUB: [string, string[]] = ['github', []];
const GITLAB: [string, string[]] = ['gitlab', ['--ci', 'gitlab']];

interface Step {
  name?: string;
  if?: string;
  uses?: string;
  run?: string;
  shell?: string;
  env?: { [name: string]: string };
}

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Holds what tests begin with: `source` and, by the options of `init`, repositories. */
let templates: string;
/** Stands for the commit of Dockbell that people fill in. */
let sourceCommit: string;
let dir: string;
let repo: string;
/** Stands for the repository of Dockbell. */
let source: string;
let relay: Server;

beforeAll(async () => {
  templates = mkdtempSync(join(tmpdir(), 'dockbell-checks-'));
  const template = join(templates, 'source');
  mkdirSync(template);
  writeFileSync(join(template, 'package.json'), '{"type": "module"}');
  await commitAll(template);
  sourceCommit = await runTestGit(template, ['rev-parse', 'HEAD']);
  await createTemplate(...GITHUB);
  await createTemplate(...GITLAB);
});

afterAll(() => rmSync(templates, { recursive: true, force: true }));

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'dockbell-checks-'));
  repo = join(dir, 'repo');
  source = join(dir, 'source');
  cpSync(join(templates, 'source'), source, { recursive: true });
  mkdirSync(join(dir, 'bin'));
  writeFileSync(join(dir, 'relay.mjs'), RELAY);
  writeCommand('npx', 'exit 99');
  useCommandLine(join(dir, 'relay.mjs'));
  relay = createServer({ allowHalfOpen: true }, (socket) => void answer(socket));
  relay.listen(join(dir, 'cli.sock'));
  await once(relay, 'listening');
});

afterEach(() => {
  relay.close();
  rmSync(dir, { recursive: true, force: true });
});

async function answer(socket: Socket): Promise<void> {
  // Not by an iteration, whose end destroys the socket in Node.js 22 and 26.
  let request = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    request += text;
  });
  await once(socket, 'end');
  const { argv, cwd, env } = JSON.parse(request) as {
    argv: string[];
    cwd: string;
    env: { [name: string]: string };
  };
  const { code, stdout, stderr } = await runCli(argv, { cwd, env });
  socket.end(JSON.stringify({ code, stdout, stderr }));
}

/** From now on `dockbell`, and each build, is this module. */
function useCommandLine(main: string): void {
  writeCommand('dockbell', `exec "${process.execPath}" "${main}" "$@"`);
  writeCommand(
    'npm',
    [
      '[ -z "$DOCKBELL_TOKEN" ] || exit 98',
      'case "$*" in ci) exit 0 ;; "run build") ;; *) exit 99 ;; esac',
      `mkdir -p dist && echo 'import ${JSON.stringify(main)};' > dist/main.js`,
    ].join('\n'),
  );
}

function writeCommand(name: string, script: string): void {
  writeFileSync(join(dir, 'bin', name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(dir, 'bin', name), 0o755);
}

/** What people fill in before they use a pipeline. */
const pin = () => ({ DOCKBELL_REPOSITORY: `file://${source}`, DOCKBELL_COMMIT: sourceCommit });

async function createTemplate(name: string, argv: string[]): Promise<void> {
  expect((await runCli(['init', join(templates, name), ...argv])).code).toBe(0);
  await commitAll(join(templates, name));
}

/** A repository with the files that `dockbell init` writes, and additional or changed files. */
async function createRepo(files: { [path: string]: string } = {}, [template] = GITHUB): Promise<void> {
  cpSync(join(templates, template), repo, { recursive: true });
  for (const [path, content] of Object.entries(files)) writeFileSync(join(repo, path), content);
  if (Object.keys(files).length > 0) await commitAll(repo);
}

async function commitAll(folder: string): Promise<void> {
  await runTestGit(folder, ['init', '-q', '-b', 'main']);
  await runTestGit(folder, ['add', '.']);
  await runTestGit(folder, ['commit', '-qm', 'one']);
}

/** Runs a script as the runners do; every variable is made up. */
function runScript(
  script: string,
  env: { [name: string]: string } = {},
  shell = ['bash', '-eo', 'pipefail'],
): Promise<Ran> {
  const path = `${join(dir, 'bin')}:${process.env.PATH}`;
  const [command = '', ...options] = shell;
  const child = spawn(command, [...options, '-c', script], { cwd: repo, env: { PATH: path, HOME: dir, ...env } });
  const ran: Ran = { code: -1, stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    ran.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    ran.stderr += chunk;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ ...ran, code: code ?? -1 })));
}

/** Values of `${{ … }}`; only what our files use is known. */
function evaluate(text: string, values: { [name: string]: string }): string {
  return text.replace(/\$\{\{ ([\w.]+) \}\}/g, (_, name: string) => {
    if (values[name] === undefined) throw new Error(`nobody knows ${name}`);
    return values[name];
  });
}

/** Does a step run? Conditions are `!cancelled()` and comparisons with a text, joined by `&&`. */
function isWanted(condition: string | undefined, values: { [name: string]: string }): boolean {
  if (condition === undefined) return true;
  const terms = /^\$\{\{ (.*) \}\}$/.exec(condition)![1]!.split(' && ');
  return terms.every((term) => {
    if (term === '!cancelled()') return true;
    const [, name = '', operator, wanted] = /^([\w.]+) (==|!=) '(.*)'$/.exec(term)!;
    return (values[name] === wanted) === (operator === '==');
  });
}

/** The results of the steps of a job, by name. Steps with `uses` are excluded. */
async function runSteps(
  steps: readonly Step[],
  values: { [name: string]: string },
  jobEnv: { [name: string]: string } = {},
): Promise<{ results: { [name: string]: Ran }; summary: string; outputs: string }> {
  const files = { GITHUB_STEP_SUMMARY: join(dir, 'summary.md'), GITHUB_OUTPUT: join(dir, 'output') };
  const places = { RUNNER_TEMP: dir, GITHUB_ACTION_PATH: source };
  for (const file of Object.values(files)) writeFileSync(file, '');
  const results: { [name: string]: Ran } = {};
  for (const { name = '', run, env = {}, if: condition } of steps) {
    if (run === undefined || !isWanted(condition, values)) continue;
    const given = Object.fromEntries(Object.entries(env).map(([key, text]) => [key, evaluate(text, values)]));
    results[name] = await runScript(run, { ...files, ...places, ...jobEnv, ...given });
  }
  const read = (file: string) => readFileSync(file, 'utf8');
  return { results, summary: read(files.GITHUB_STEP_SUMMARY), outputs: read(files.GITHUB_OUTPUT) };
}

const codes = (results: { [name: string]: Ran }) =>
  Object.fromEntries(Object.entries(results).map(([name, { code }]) => [name, code]));

const BUILT = { 'Build Dockbell': 0 };
const BROKEN = { 'webhooks/internal-ci.yaml': 'secretNam: A\n' };
const FAILING = {
  'webhooks/internal-ci.samples/passed-on-main.json':
    '{"body": {"build": {"status": "passed"}}, "starts": ["triage-ci-failure"]}\n',
};

/** A daemon that previews plans, behind the real management API. */
async function startApi() {
  const services = createSeededServices();
  const app = createSeededServer(services);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  // A token for one factory: so none has to be named.
  return { url, token: services.grant('viewer', ['payments']), close: () => app.close() };
}

describe('action.yml', () => {
  const action = parse(readDocument('action.yml')) as {
    inputs: { [name: string]: { default: string; description: string } };
    outputs: { [name: string]: { value: string } };
    runs: { using: string; steps: Step[] };
  };
  const { steps } = action.runs;

  const run = (inputs: { [name: string]: string } = {}) => {
    const known = Object.entries({ ...mapValues(action.inputs, (input) => input.default), ...inputs });
    return runSteps(steps, Object.fromEntries(known.map(([name, value]) => [`inputs.${name}`, value])));
  };

  it('is composite, and runs the source that it is part of', () => {
    expect(action.runs.using).toBe('composite');
    const scripts = steps.filter(({ run: script }) => script !== undefined);
    expect(scripts.map(({ shell }) => shell)).toEqual(scripts.map(() => 'bash'));
    expect(readDocument('action.yml')).not.toMatch(/npx|dockbell@/);
  });

  it('hands no input to a script but by the environment', () => {
    for (const { run: script } of steps) expect(script ?? '').not.toContain('${{');
  });

  it('passes for what init writes, with the built command line', async () => {
    useCommandLine(MAIN);
    await createRepo();
    const { results } = await run();
    expect(codes(results)).toEqual({ ...BUILT, 'Validate the definition': 0, 'Test the samples': 0 });
  });

  it('annotates errors, and tests the samples nevertheless', { tags: 'full' }, async () => {
    await createRepo(BROKEN);
    const { results } = await run();
    expect(codes(results)).toEqual({ ...BUILT, 'Validate the definition': 1, 'Test the samples': 1 });
    expect(results['Validate the definition']!.stdout).toMatch(/^::error .*file=webhooks\/internal-ci.yaml/m);
  });

  it('fails on a sample, with the key that decided', { tags: 'full' }, async () => {
    await createRepo(FAILING);
    const { results } = await run();
    expect(codes(results)).toEqual({ ...BUILT, 'Validate the definition': 0, 'Test the samples': 1 });
    expect(results['Test the samples']!.stdout).toContain('build.status is "passed"');
  });

  it('lets warnings pass where strict is false', { tags: 'full' }, async () => {
    await createRepo({ 'webhooks/odd.txt': '' });
    expect(codes((await run()).results)['Validate the definition']).toBe(1);
    expect(codes((await run({ strict: 'false' })).results)['Validate the definition']).toBe(0);
  });

  it('takes any text as the name of a folder, and runs none of it', { tags: 'full' }, async () => {
    await createRepo();
    for (const hostile of ['$(touch ../pwned)', '"; touch ../pwned; "', '--help', '`touch ../pwned`']) {
      const { results } = await run({ dir: hostile });
      expect(codes(results), hostile).toEqual({ ...BUILT, 'Validate the definition': 2, 'Test the samples': 2 });
    }
    expect(() => readFileSync(join(dir, 'pwned'))).toThrow('ENOENT');
  });

  it('checks a factory in a folder, with paths from the root', { tags: 'full' }, async () => {
    await createRepo();
    cpSync(join(repo, 'webhooks'), join(repo, 'factories/a/webhooks'), { recursive: true });
    writeFileSync(join(repo, 'factories/a/webhooks/internal-ci.yaml'), BROKEN['webhooks/internal-ci.yaml']);
    const { results } = await run({ dir: 'factories/a' });
    expect(results['Validate the definition']!.stdout).toContain('file=factories/a/webhooks/internal-ci.yaml');
  });

  it('puts the plan into the summary where a daemon is named, and says whether there are changes', {
    tags: 'full',
  }, async () => {
    await createRepo();
    const { url, token, close } = await startApi();
    const { results, summary, outputs } = await run({ url, token, factory: 'payments' });
    await close();
    expect(results.Plan).toMatchObject({ code: 0, stderr: expect.not.stringContaining(token) });
    expect(summary).toMatch(/^#+ Dockbell plan/);
    expect(outputs).toMatch(/^changes=(true|false)\n$/);
    expect(action.outputs.changes!.value).toContain('steps.plan.outputs.changes');
  });

  it('fails where the named daemon does not answer', { tags: 'full' }, async () => {
    await createRepo();
    const { results, outputs } = await run({ url: 'http://127.0.0.1:1', token: 'dbk_x' });
    expect([results.Plan!.code, outputs]).toEqual([5, '']);
  });
});

describe('the workflow that init writes', () => {
  const readJob = () => {
    const text = readFileSync(join(repo, '.github/workflows/dockbell.yaml'), 'utf8');
    return parse(text) as { permissions: unknown; env: { [name: string]: string }; jobs: { check: { steps: Step[] } } };
  };
  const run = (values: { [name: string]: string } = {}, pinned: { [name: string]: string } = pin()) => {
    const { env, jobs } = readJob();
    const known = { 'github.event_name': 'pull_request', 'vars.DOCKBELL_URL': '', 'secrets.DOCKBELL_TOKEN': '' };
    return runSteps(jobs.check.steps, { ...known, ...values }, { ...env, ...pinned });
  };

  it('passes for the generated factory, and skips the plan without a daemon, with the built command line', async () => {
    useCommandLine(MAIN);
    await createRepo();
    expect(readJob().permissions).toEqual({ contents: 'read' });
    const { results, summary } = await run();
    expect(codes(results)).toEqual({ ...BUILT, 'Validate the definition': 0, 'Test the samples': 0, Plan: 0 });
    expect(summary).toBe('');
    for (const { run: script } of readJob().jobs.check.steps) expect(script ?? '').not.toContain('${{');
  });

  it('downloads no package, and names the commit of the clone that wrote it', async () => {
    await createRepo();
    const text = readFileSync(join(repo, '.github/workflows/dockbell.yaml'), 'utf8');
    expect(text).not.toMatch(/npx|npm install|dockbell@/);
    expect(text).toContain('not published on npm yet');
    expect(readJob().env.DOCKBELL_COMMIT).toMatch(/^([0-9a-f]{40})?$/);
  });

  it.each([
    ['nothing is filled in', { DOCKBELL_REPOSITORY: '', DOCKBELL_COMMIT: '' }],
    ['a branch is named instead of a commit', { DOCKBELL_COMMIT: 'main' }],
    ['the repository does not have the commit', { DOCKBELL_COMMIT: 'c0ffee'.repeat(6).padEnd(40, '0') }],
  ])('builds nothing if %s', { tags: 'full' }, async (_what, pinned) => {
    await createRepo();
    const { results } = await run({}, { ...pin(), ...pinned });
    expect(results['Build Dockbell']!.code).not.toBe(0);
    expect(results['Test the samples']!.code).not.toBe(0);
  });

  it('fails on mistakes and on samples, and plans against a daemon', { tags: 'full' }, async () => {
    await createRepo(FAILING);
    const { url, token, close } = await startApi();
    const { results, summary } = await run({ 'vars.DOCKBELL_URL': url, 'secrets.DOCKBELL_TOKEN': token });
    await close();
    expect(codes(results)).toMatchObject({ 'Validate the definition': 0, 'Test the samples': 1 });
    expect(results.Plan!.code).toBe(0);
    expect(summary).toMatch(/^#+ Dockbell plan/);
  });
});

describe('ci/gitlab.yml', () => {
  interface Job {
    script: string[];
    before_script?: string[];
    variables?: { [name: string]: string };
    artifacts: { reports?: { [kind: string]: string }; paths?: string[] };
  }
  const read = (text: string) => parse(text) as { [name: string]: Job };
  const run = (jobs: { [name: string]: Job }, name: string, env: { [name: string]: string } = {}) =>
    // GitLab runs the lines of a script as one, and its images may have no bash.
    runScript(
      [...jobs['.dockbell']!.before_script!, ...jobs[name]!.script].join('\n'),
      { ...jobs['.dockbell']!.variables, DOCKBELL_SOURCE: join(dir, 'fetched'), ...pin(), ...env },
      ['sh', '-e'],
    );

  it('is what init --ci gitlab writes', async () => {
    expect(readDocument('ci/gitlab.yml')).toBe(renderPipeline('gitlab', null));
    await createRepo({}, GITLAB);
    const written = readFileSync(join(repo, '.gitlab-ci.yml'), 'utf8');
    expect(written.replace(/(DOCKBELL_COMMIT: )"[0-9a-f]{40}"/, '$1""')).toBe(readDocument('ci/gitlab.yml'));
  });

  it.each([
    ['nothing', {}, 0],
    ['a mistake', BROKEN, 1],
    ['a failing sample', FAILING, 1],
  ])('writes its reports and ends as it must with %s', async (_what, files, code) => {
    await createRepo(files);
    const jobs = read(readDocument('ci/gitlab.yml'));
    expect((await run(jobs, 'dockbell-check')).code).toBe(code);
    const quality = readFileSync(join(repo, jobs['dockbell-check']!.artifacts.reports!.codequality!), 'utf8');
    expect((JSON.parse(quality) as unknown[]).length > 0).toBe(files === BROKEN);
    for (const name of ['validate', 'test']) {
      expect(readFileSync(join(repo, `dockbell-${name}.xml`), 'utf8')).toMatch(/^<\?xml[\s\S]*<\/testsuites>\n$/);
    }
  });

  it('runs nothing before a repository and a commit are filled in', { tags: 'full' }, async () => {
    await createRepo();
    const jobs = read(readDocument('ci/gitlab.yml'));
    const ran = await run(jobs, 'dockbell-check', { DOCKBELL_REPOSITORY: '' });
    expect(ran).toMatchObject({ code: 1, stderr: 'Set DOCKBELL_REPOSITORY and DOCKBELL_COMMIT in the pipeline.\n' });
  });

  it('writes the plan', { tags: 'full' }, async () => {
    await createRepo();
    const { url, token, close } = await startApi();
    const jobs = read(readDocument('ci/gitlab.yml'));
    const ran = await run(jobs, 'dockbell-plan', { DOCKBELL_URL: url, DOCKBELL_TOKEN: token });
    await close();
    expect(jobs['dockbell-plan']!.artifacts.paths).toEqual(['dockbell-plan.md']);
    expect(ran).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(join(repo, 'dockbell-plan.md'), 'utf8')).toMatch(/^#+ Dockbell plan/);
  });
});

describe('the hooks for pre-commit', () => {
  interface Hook {
    id: string;
    entry: string;
    files: string;
    pass_filenames: boolean;
    language: string;
  }
  const published = () => parse(readDocument('.pre-commit-hooks.yaml')) as Hook[];
  const scaffolded = () => {
    const text = readFileSync(join(repo, '.pre-commit-config.yaml'), 'utf8');
    return (parse(text) as { repos: [{ repo: string; hooks: Hook[] }] }).repos[0].hooks;
  };

  it.each([
    // With language node, pre-commit installs the repository at the commit that a team names.
    ['.pre-commit-hooks.yaml', published, 'node'],
    ['.pre-commit-config.yaml', scaffolded, 'system'],
  ])('of %s pass and fail as their commands do', { tags: 'full' }, async (_file, read, wanted) => {
    await createRepo();
    for (const { entry, language, pass_filenames } of read()) {
      expect({ language, pass_filenames }).toEqual({ language: wanted, pass_filenames: false });
      expect((await runScript(entry)).code).toBe(0);
      writeFileSync(join(repo, 'webhooks/internal-ci.yaml'), BROKEN['webhooks/internal-ci.yaml']);
      expect((await runScript(entry)).code).toBe(1);
      await runTestGit(repo, ['checkout', '-q', '.']);
    }
    expect(read().map(({ id }) => id)).toEqual(['dockbell-validate', 'dockbell-test']);
  });

  it('watch the files of a definition', async () => {
    for (const { files } of published()) {
      const watched = (path: string) => new RegExp(files).test(path);
      expect(['factory.yaml', 'a/webhooks/ci.yaml', 'automations/x/automation.md'].every(watched)).toBe(true);
      expect(['README.md', 'src/factory.yaml.ts'].some(watched)).toBe(false);
    }
  });
});

function mapValues<T, U>(record: { [name: string]: T }, map: (value: T) => U): { [name: string]: U } {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
