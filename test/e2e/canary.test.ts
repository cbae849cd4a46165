import { execFileSync, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { type DaemonProcess, startTestDaemon } from '../helpers/test-daemon.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** Values that must not leak. Each survives escaping, so that a leak cannot be hidden in another form. */
const CANARIES = {
  BEARER: 'canary-bearer-7f3a9c51e2',
  URL_TOKEN: 'canary-url-4be8102d6f',
  SIGNING: 'canary-signing-b90c77e1aa',
  FOR_RUN: 'canary-for-run-c2d4e6f801',
  NOT_FOR_RUN: 'canary-not-for-run-55aa66bb77',
  ROTATED: 'canary-rotated-0011223344',
  UNFIT: 'canary unfit / for a url 8899',
  REFUSED: 'canary-refused-aabbccddee',
  PRESENTED: 'canary-presented-by-a-unknown-31',
} as const;
const CREDENTIAL = 'canary-admin-never-in-argv';

/** Every form in which a value could be written by mistake. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  return [value, encodeURIComponent(value), bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex')];
}

function findCanaries(
  text: string,
  names: readonly (keyof typeof CANARIES)[] = Object.keys(CANARIES) as never,
): string[] {
  return names.filter((name) => formsOf(CANARIES[name]).some((form) => text.includes(form)));
}

const automation = `---
triggers:
  - provider: webhook
    event: received
    filter: { webhooks: [bearer, by-url, signed] }
secrets: [FOR_RUN]
---
Look at it.
`;

/** Writes the arguments and environments of itself and its parent processes, and prints its one secret. */
const AGENT = `
import { appendFileSync, readFileSync } from 'node:fs';
const [, , seen, daemonPid] = process.argv;
let pid = 'self';
for (let hops = 0; hops < 6; hops += 1) {
  for (const file of ['environ', 'cmdline']) appendFileSync(seen, readFileSync('/proc/' + pid + '/' + file, 'latin1') + '\\n');
  const parent = /^PPid:\\s*(\\d+)/m.exec(readFileSync('/proc/' + pid + '/status', 'latin1'))[1];
  if (parent === '0' || parent === '1' || readFileSync('/proc/' + parent + '/cmdline', 'latin1').includes('main.js')) break;
  pid = parent;
}
console.log('the key is ' + process.env.FOR_RUN);
console.error(JSON.stringify({ key: process.env.FOR_RUN }));
`;

describe('no secret leaks', () => {
  let repo: TempGitRepo;
  let daemon: DaemonProcess;
  let spy: string;
  const uids = new Map<string, string>();
  /** All output of the API and the command line. */
  const answers: string[] = [];

  const api: DaemonProcess['api'] = async (path, init) => {
    const answer = await daemon.api(path, init);
    answers.push(JSON.stringify(answer));
    return answer;
  };
  const cli = async (...args: string[]) => {
    const done = await daemon.cli(...args);
    answers.push(done.stdout, done.stderr);
    return done;
  };
  /** Runs a command with a value on its standard input. */
  const pipeSecret = async (mode: 'create' | 'update', name: string, value: string): Promise<number> => {
    const done = await runCli(['secret', mode, name, '--data-dir', daemon.dataDir], { stdin: `${value}\n` });
    answers.push(done.stdout, done.stderr);
    return done.code;
  };
  /** The same in a separate process. */
  const pipeSecretToProcess = async (mode: 'create' | 'update', name: string, value: string): Promise<number> => {
    const args = [MAIN, 'secret', mode, name, '--data-dir', daemon.dataDir];
    const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH ?? '' } });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => answers.push(String(chunk)));
    child.stdin.end(`${value}\n`);
    return new Promise((resolve) => child.once('close', (code) => resolve(code ?? -1)));
  };
  const put = (name: string, value: string) => api(`/secrets/${name}`, { method: 'PUT', body: { value } });
  const post = async (path: string, headers: Record<string, string> = {}, body = '{"level":"fatal"}') => {
    const response = await fetch(`${daemon.ingressUrl}/webhooks/w/${path}`, { method: 'POST', headers, body });
    answers.push(await response.text());
    return response.status;
  };
  const waitFor = (revision: string) => cli('status', '--wait', revision, '--timeout', '20s');

  beforeAll(async () => {
    repo = await createTempGitRepo();
    spy = createTempDir('spy');
    const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const wrapper = `#!/bin/sh\ncat /proc/$$/environ /proc/$$/cmdline >> '${spy}/git.seen'\nexec '${git}' "$@"\n`;
    writeFileSync(join(spy, 'git'), wrapper);
    chmodSync(join(spy, 'git'), 0o755);
    const agent = join(spy, 'agent.mjs');
    writeFileSync(agent, AGENT);
    const dataDir = join(createTempDir('canary'), 'open');
    mkdirSync(dataDir);
    chmodSync(dataDir, 0o755);
    const executor = { type: 'command', command: [process.execPath, agent, join(spy, 'run.seen')] };
    daemon = await startTestDaemon({
      dataDir,
      config: {
        factories: [{ name: 'payments', source: { type: 'repository', url: repo.path }, runs: { executor } }],
      },
      env: { PATH: `${spy}:${process.env.PATH}`, DOCKBELL_TOKEN: CREDENTIAL },
    });
  });

  afterAll(async () => {
    repo.remove();
  });

  it('while secrets are stored, rejected, found invalid and rotated', { tags: 'full' }, async () => {
    expect((await put('BEARER', CANARIES.BEARER)).status).toBeLessThan(300);
    expect(await pipeSecretToProcess('create', 'SIGNING', CANARIES.SIGNING)).toBe(0);
    expect(await pipeSecret('create', 'FOR_RUN', CANARIES.FOR_RUN)).toBe(0);
    await put('NOT_FOR_RUN', CANARIES.NOT_FOR_RUN);
    expect((await put('not-a-name', CANARIES.REFUSED)).status).toBe(400);
    expect((await api('/secrets/X', { method: 'PUT', body: { valeu: CANARIES.REFUSED } })).status).toBe(400);
    expect((await api('/secrets/X', { method: 'PUT', body: [CANARIES.REFUSED] })).status).toBe(400);
    expect(await pipeSecretToProcess('create', 'BEARER', CANARIES.REFUSED)).toBe(1);
    expect(await pipeSecret('update', 'UNKNOWN', CANARIES.REFUSED)).not.toBe(0);
    await put('URL_TOKEN', CANARIES.UNFIT);
    const revision = await repo.commit({
      'webhooks/bearer.yaml': 'secretName: BEARER\n',
      'webhooks/by-url.yaml': 'authMode: url_token\nsecretName: URL_TOKEN\n',
      'webhooks/signed.yaml': 'authMode: signature\nsignatureScheme: github\nsecretName: SIGNING\n',
      'automations/look/automation.md': automation,
    });
    expect((await waitFor(revision)).code).toBe(1);
    await put('URL_TOKEN', CANARIES.URL_TOKEN);
    // A wait that begins before the next attempt reports the failure of the last one.
    await eventually(async () => (await waitFor(revision)).code === 0);
    expect(await pipeSecret('update', 'BEARER', CANARIES.ROTATED)).toBe(0);
    const { body } = await api('/factories/payments/webhooks');
    for (const webhook of body.data) uids.set(webhook.name, webhook.uid);
  });

  it('while deliveries are accepted and rejected, and runs are executed', { tags: 'full' }, async () => {
    const body = '{"level":"fatal","n":1}';
    const signature = `sha256=${createHmac('sha256', CANARIES.SIGNING).update(body).digest('hex')}`;
    expect(await post(uids.get('bearer')!, { authorization: `Bearer ${CANARIES.BEARER}` })).toBe(202);
    expect(await post(`${uids.get('by-url')}/${CANARIES.URL_TOKEN}`)).toBe(202);
    expect(await post(uids.get('signed')!, { 'x-hub-signature-256': signature }, body)).toBe(202);
    const unknown = CANARIES.PRESENTED;
    expect(await post(`${uids.get('by-url')}/${unknown}`)).toBe(401);
    expect(await post(`${uids.get('bearer')}/${CANARIES.URL_TOKEN}`)).toBe(404);
    expect(await post(`${uids.get('by-url')}/${CANARIES.URL_TOKEN}`, {}, 'no json')).toBe(400);
    expect(await post(uids.get('bearer')!, { authorization: `Bearer ${unknown}` })).toBe(401);
    expect(await post(uids.get('signed')!, { 'x-hub-signature-256': `sha256=${unknown}` }, body)).toBe(401);
    const runs = await eventually(async () => {
      const { body: list } = await api('/factories/payments/runs');
      const ended = list.data.filter((run: { state: string }) => run.state === 'succeeded');
      return ended.length === 3 ? ended : undefined;
    }, 20_000);
    for (const run of runs) {
      const { body: log } = await api(`/runs/${run.id}/log`);
      expect(log).toContain('the key is [redacted]');
    }
  });

  it('in no response of the API or to a sender, and no output of a command', { tags: 'full' }, async () => {
    const paths = ['/secrets', '/factories', '/factories/payments', '/factories/payments/reconciliations'];
    paths.push('/factories/payments/automations', '/factories/payments/automations/look', '/tokens', '/openapi.json');
    for (const uid of uids.values()) {
      paths.push(`/factories/payments/webhooks/${uid}`, `/factories/payments/webhooks/${uid}/deliveries`);
    }
    for (const path of paths) expect((await api(path)).status).toBe(200);
    for (const run of (await api('/factories/payments/runs')).body.data) await api(`/runs/${run.id}/input`);
    const authorization = `Bearer ${readFileSync(join(daemon.dataDir, 'admin-token'), 'utf8').trim()}`;
    const metrics = await fetch(`${daemon.adminUrl}/metrics`, { headers: { authorization } });
    expect(metrics.status).toBe(200);
    answers.push(await metrics.text());
    for (const args of [['secret', 'list'], ['webhook', 'list'], ['webhook', 'show', 'by-url'], ['status']]) {
      expect((await cli(...args)).code).toBe(0);
    }
    expect(answers.length).toBeGreaterThan(50);
    expect(findCanaries(answers.join('\n'))).toEqual([]);
  });

  it('in no argument or environment of a child process, except the listed secret in the environment of its run', {
    tags: 'full',
  }, () => {
    const git = readFileSync(join(spy, 'git.seen'), 'latin1');
    expect(git).toContain('GIT_');
    expect(findCanaries(git)).toEqual([]);
    expect(git).not.toContain(CREDENTIAL);
    const run = readFileSync(join(spy, 'run.seen'), 'latin1');
    expect(findCanaries(run)).toEqual(['FOR_RUN']);
    expect(run).toContain(`FOR_RUN=${CANARIES.FOR_RUN}\0`);
    expect(run.split(CANARIES.FOR_RUN).length - 1).toBe(run.split(`\0FOR_RUN=${CANARIES.FOR_RUN}`).length - 1);
    expect(run).not.toContain(CREDENTIAL);
    const own = ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${daemon.pid}/${file}`, 'latin1'));
    expect(findCanaries(own.join('\n'))).toEqual([]);
  });

  it('in no file of the data directory, and no other user can read one', { tags: 'full' }, async () => {
    const look = () => {
      const files = readdirSync(daemon.dataDir, { recursive: true, encoding: 'utf8' })
        .map((name) => join(daemon.dataDir, name))
        .filter((path) => statSync(path).isFile());
      const leaks = files.filter((path) => findCanaries(readFileSync(path, 'latin1')).length > 0);
      // The configuration is a file of the operator: the test wrote it.
      const open = files.filter((path) => !path.endsWith('dockbell.yaml') && (statSync(path).mode & 0o077) !== 0);
      return { count: files.length, leaks, open };
    };
    const control = join(daemon.dataDir, 'control');
    writeFileSync(control, `x${CANARIES.BEARER}x`, { mode: 0o644 });
    expect(look()).toMatchObject({ leaks: [control], open: [control] });
    rmSync(control);
    const running = look();
    expect(running).toMatchObject({ leaks: [], open: [] });
    expect(running.count).toBeGreaterThan(15);
    expect(await daemon.end('SIGTERM')).toBe(0);
    expect(look()).toMatchObject({ leaks: [], open: [] });
  });

  it('in no output of the daemon, which contains no path of a delivery either', { tags: 'full' }, () => {
    expect(daemon.output()).toContain('run');
    expect(findCanaries(daemon.output())).toEqual([]);
    for (const uid of uids.values()) expect(daemon.output()).not.toContain(`/webhooks/w/${uid}/`);
  });
});
