import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../helpers/command-runs.ts';
import { hasProgram } from '../helpers/has-program.ts';
import { runCli } from '../helpers/run-cli.ts';
import {
  type ProgramInTerminal,
  type StartedProgram,
  startInTerminal,
  startProgram,
} from '../helpers/start-program.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

const EXAMPLE = fileURLToPath(new URL('../../example-factory', import.meta.url));
const AUTOMATION = 'automations/triage-build-failure/automation.md';

const home = createTempDir('dev');
const dir = join(home, 'shop');
/** Holds the temporary data, so that a test sees what is left. */
const temporary = join(home, 'tmp');
mkdirSync(temporary);
cpSync(EXAMPLE, dir, { recursive: true });
// As an editor leaves it, and a stored secret that a run uses.
const variables = {
  UPTIME_WEBHOOK_SECRET: 'an-uptime-token-of-32-characters',
  INTERNAL_CI_WEBHOOK_SECRET: 'of-the-file',
};
writeFileSync(
  join(dir, '.env'),
  Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join(''),
);
const env = {
  TMPDIR: temporary,
  HOME: home,
  INTERNAL_CI_WEBHOOK_SECRET: 'the-token-of-the-environment',
  TRACKER_TOKEN: 'the-token-of-the-tracker',
  // Of another daemon: they must not matter.
  DOCKBELL_DATA_DIR: join(home, 'elsewhere'),
  DOCKBELL_INGRESS_PORT: '1',
  DOCKBELL_MASTER_KEY: 'not a key',
};

const COMMAND =
  'echo "in $DEV_DIR, process $$"; echo "token of $(printf %s "$TRACKER_TOKEN" | wc -c) characters"; grep -q slow event-payload.json && exec sleep 600; tail -c 200 prompt.md; exit 3';

let dev: StartedProgram;
/** Where the output of the step before ends. */
let seen = 0;

const shows = (wanted: string | RegExp) => dev.shows(wanted, seen);
const save = (file: string, change: (text: string) => string) => {
  seen = dev.output().length;
  writeFileSync(join(dir, file), change(readFileSync(join(dir, file), 'utf8')));
};
let sent = 0;
const send = (...args: string[]) => {
  seen = dev.output().length;
  return runCli(['send', ...args], { env: {}, cwd: dir, newId: () => `send_${++sent}` });
};

/** The counts, the webhooks with their URLs, and the generated secrets. Ports and given values differ between starts. */
const listShown = (output: string) =>
  output
    .split('\n')
    .filter((line) => /\blive\b.*webhooks|\/webhooks\/w\/|: generated, |dockbell send /.test(line))
    .map((line) => line.replace(/^\S+ (live .*automations).*/, '$1').replace(/127\.0\.0\.1:\d+/, 'HOST'));

beforeAll(async () => {
  dev = startProgram(['dev', '--exec', COMMAND], { cwd: dir, env });
  await dev.shows(/^ {2}uptime {2}(?:.*\n)+?.*curl .*$/m);
});

afterAll(() => dev.end('SIGKILL'));

describe('dockbell dev', () => {
  it('serves a folder without git, and prints each webhook with its URL, its secret and a command', async () => {
    const output = dev.output();
    expect(output).not.toContain('Keys:');
    expect(output).toMatch(/live +3 webhooks, 3 automations/);
    expect(output).not.toMatch(/^\S+ (?:failed|invalid)/m);
    expect(output).toContain('INTERNAL_CI_WEBHOOK_SECRET: from the environment');
    expect(output).toContain('UPTIME_WEBHOOK_SECRET: from the file with secrets');
    expect(output).toMatch(
      /GITHUB_WEBHOOK_SECRET: generated, dbs_[\w-]{43}\n {4}dockbell send github --sample pull-request/,
    );
    expect(output).not.toContain(env.INTERNAL_CI_WEBHOOK_SECRET);
    expect(statSync(join(dir, '.dockbell/dev.json')).mode & 0o777).toBe(0o600);
    const curl = output.match(/curl -i '(\S+)' -H 'Authorization: Bearer '"\$INTERNAL_CI_WEBHOOK_SECRET"/);
    const answer = await fetch(curl![1]!, {
      method: 'POST',
      headers: { authorization: `Bearer ${env.INTERNAL_CI_WEBHOOK_SECRET}` },
      body: '{"status": "passed"}',
    });
    expect(answer.status).toBe(202);
    await shows(/triage-build-failure: status is "passed", expected "failed"/);
  });

  it('is found by other commands in the folder, and prints the decision, the run and its output', async () => {
    const { code, stdout } = await send('internal-ci', '--sample', 'failed-on-main');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^202 Accepted dlv_\w+: started run_\w+\n$/)]);
    await shows(/delivery +internal-ci {2}Accepted {2}\d+ B {2}dlv_\w+/);
    await shows(/✓ triage-build-failure starts run_\w+/);
    await shows(/run +triage-build-failure {2}run_\w+ {2}started/);
    await shows(`| in ${dir}`);
    await shows(/run +triage-build-failure {2}run_\w+ {2}failed after \S+: exit code 3/);
    // A sample is a new delivery each time.
    expect((await send('internal-ci', '--sample', 'failed-on-main')).stdout).toContain('started run_');
  });

  it('applies a saved file, also one that is replaced as editors do it', async () => {
    // A run uses a secret, which only the environment can supply.
    const withSecret = (text: string) => text.replace('triggers:', 'secrets: [TRACKER_TOKEN]\ntriggers:');
    save(AUTOMATION, (text) => withSecret(text).replace('[main, release]', '[main, next]'));
    await shows(/live +1 change[^~]+~ automation triage-build-failure \(.*triggers.*\)/);
    expect((await send('internal-ci', '--data', '{"status":"failed","branch":"next"}')).stdout).toContain(
      'started run_',
    );
    await shows(`| token of ${env.TRACKER_TOKEN.length} characters`);
    seen = dev.output().length;
    const file = join(dir, 'webhooks/deploys.yaml');
    writeFileSync(`${file}.draft`, 'authMode: signature\nsignatureScheme: stripe\nsecretName: DEPLOYS_SECRET\n');
    cpSync(`${file}.draft`, file);
    rmSync(`${file}.draft`);
    await shows(/\+ webhook deploys(?:.*\n)+? {4}DEPLOYS_SECRET: generated, \S+\n {4}dockbell send deploys\n/);
    expect((await send('deploys')).code).toBe(0);
    seen = dev.output().length;
    rmSync(file);
    await shows(/- webhook deploys/);
  });

  it('prints the findings of invalid files as validate does, and keeps the last valid definition', {
    tags: ['full', 'continues'],
  }, async () => {
    const before = readFileSync(join(dir, AUTOMATION), 'utf8');
    save(AUTOMATION, (text) => text.replace('payload:', 'payloda:'));
    await shows(/invalid\n {2}automations\/triage-build-failure\/automation\.md:\d+:\d+ error .*payloda/);
    await shows(/ {4}\d+ \| +payloda:/);
    await shows('The last valid definition stays live.');
    expect((await send('internal-ci', '--data', '{"status":"failed","branch":"next","again":1}')).stdout).toContain(
      'started run_',
    );
    save(AUTOMATION, () => before);
    await shows('The files are valid again, and the same as the live definition.');
  });

  it('runs once in a folder, and leaves a daemon of the folder alone', { tags: 'full' }, async () => {
    const second = startProgram(['dev'], { cwd: dir, env });
    expect(await second.exited).toBe(2);
    expect(second.output()).toContain(`'dockbell dev' already runs in ${dir} (process ${dev.pid}).`);
  });

  it('stops with Ctrl-C, and leaves nothing behind', async () => {
    await send('internal-ci', '--data', '{"status":"failed","branch":"main","slow":true}');
    const command = Number((await shows(/process \d+/)).split(' ')[1]);
    expect(await dev.end('SIGINT')).toBe(0);
    expect(await isAlive(command)).toBe(false);
    expect(dev.output()).toMatch(/stopped +The daemon has stopped\.\n$/);
    expect(await isAlive(dev.pid)).toBe(false);
    expect(readdirSync(temporary)).toEqual([]);
    expect(readdirSync(dir).sort()).toEqual(['.env', 'automations', 'factory.yaml', 'payments', 'webhooks']);
    expect(existsSync(env.DOCKBELL_DATA_DIR)).toBe(false);
  });
});

describe('dockbell dev with an earlier one that was killed', () => {
  it('deletes its data, prints prompts without an executor, and keeps its own data on request', {
    tags: ['full', 'continues'],
  }, async () => {
    const killed = startProgram(['dev'], { cwd: dir, env });
    await killed.shows(/dockbell send uptime/);
    await killed.end('SIGKILL');
    expect(readdirSync(temporary)).toHaveLength(1);
    seen = 0;
    const executor = { type: 'command', command: ['false'] };
    const factory = { name: 'shop', source: { type: 'repository', url: '.' }, runs: { executor } };
    writeFileSync(join(dir, 'dockbell.yaml'), JSON.stringify({ factories: [factory] }));
    dev = startProgram(['dev', '--keep', '--no-exec'], { cwd: dir, env });
    await dev.shows(/dockbell send uptime/);
    expect(readdirSync(temporary)).toEqual([]);
    await send('internal-ci', '--sample', 'failed-on-main');
    await shows(/run +triage-build-failure {2}run_\w+ {2}would execute this prompt:\n {2}\| A build has failed/);
    rmSync(join(dir, 'dockbell.yaml'));
    expect(await dev.end('SIGTERM')).toBe(0);
    expect(readdirSync(join(dir, '.dockbell')).sort()).toEqual(['.gitignore', 'dev']);
    expect(existsSync(join(dir, '.dockbell/dev/dockbell.db'))).toBe(true);
  });

  it('prints each webhook of the kept data with its URL, its secret and a command, also at later starts', {
    tags: ['full', 'continues'],
  }, async () => {
    const begin = async () => {
      dev = startProgram(['dev', '--keep', '--no-exec'], { cwd: dir, env });
      await dev.shows(/dockbell send uptime/);
      const shown = dev.output();
      await dev.end('SIGTERM');
      return listShown(shown);
    };
    const first = await begin();
    expect(first.filter((line) => line.includes('curl -i'))).not.toEqual([]);
    expect(await begin()).toEqual(first);
    const before = readFileSync(join(dir, AUTOMATION), 'utf8');
    save(AUTOMATION, (text) => text.replace('payload:', 'payloda:'));
    dev = startProgram(['dev', '--keep', '--no-exec'], { cwd: dir, env });
    await dev.shows('The last valid definition stays live.');
    expect(listShown(dev.output())).toEqual(first);
    await dev.end('SIGTERM');
    save(AUTOMATION, () => before);
  });

  it('never deletes a folder that another one named', { tags: ['full', 'continues'] }, async () => {
    const precious = join(home, 'precious');
    mkdirSync(precious);
    writeFileSync(join(precious, 'daemon.json'), '{}');
    writeFileSync(join(dir, '.dockbell/dev.json'), JSON.stringify({ pid: 2 ** 22 + 1, data_dir: precious }));
    dev = startProgram(['dev', join('..', 'shop')], { cwd: dir, env });
    await dev.shows(/dockbell send uptime/);
    expect(await dev.end('SIGTERM')).toBe(0);
    expect(existsSync(join(precious, 'daemon.json'))).toBe(true);
  });
});

describe.runIf(process.platform === 'linux' && hasProgram('script'))('dockbell dev in a terminal', () => {
  let terminal: ProgramInTerminal;

  const press = (key: string) => {
    seen = terminal.output().length;
    terminal.type(key);
  };
  const prints = (wanted: string | RegExp) => terminal.shows(wanted, seen);

  beforeAll(async () => {
    // Ctrl-Z leaves the command, and `fg` continues it. The settings of the terminal are printed after its end.
    const command = 'set -m; $DOCKBELL dev; echo "left"; fg; echo "code $?"; stty -a';
    terminal = startInTerminal(command, { cwd: dir, env });
    await terminal.shows(/^ {2}\[3\] uptime {2}(?:.*\n)+?.*curl .*$/m);
  });

  afterAll(() => terminal.end('SIGKILL'));

  it('sends a signed sample of the first webhook when s is pressed', { tags: 'full' }, async () => {
    expect(terminal.output()).toContain('Keys: s sends a sample delivery, 1 to 9 choose its webhook, Ctrl-C stops.\n');
    press('s');
    await prints(/send +github {2}sample pull-request-opened\n/);
    await prints(/delivery +github {2}Accepted {2}pull_request\.opened/);
  });

  it('sends to the webhook of the pressed number, then to the one that was saved last', { tags: 'full' }, async () => {
    press('2');
    await prints(/chosen +internal-ci: s sends it a delivery\./);
    press('s');
    await prints(/send +internal-ci {2}sample failed-on-main\n/);
    await prints(/delivery +internal-ci {2}Accepted/);
    const file = join(dir, 'webhooks/deploys.yaml');
    seen = terminal.output().length;
    writeFileSync(file, 'authMode: signature\nsignatureScheme: stripe\nsecretName: DEPLOYS_SECRET\n');
    await prints(/ {2}\[4\] deploys (?:.*\n)+? {4}dockbell send deploys\n/);
    press('s');
    await prints(/send +deploys {2}a small event\n/);
    await prints(/delivery +deploys {2}Accepted/);
    rmSync(file);
    await prints(/- webhook deploys/);
    press('s');
    await prints('No delivery was accepted. The webhook deploys does not exist.');
  });

  it('can be suspended, and stops with Ctrl-C', { tags: 'full' }, async () => {
    press('\u001a');
    await prints('left\n');
    press('1');
    await prints(/chosen +github/);
    press('\u0003');
    await prints(/stopped +The daemon has stopped\.\ncode 0\n/);
    expect(await terminal.exited).toBe(0);
    const settings = terminal
      .output()
      .slice(seen)
      .split(/[\s;]+/);
    expect(settings).toEqual(expect.arrayContaining(['isig', 'icanon', 'echo']));
    expect(readdirSync(temporary)).toEqual([]);
  });
});
