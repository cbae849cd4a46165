import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../helpers/command-runs.ts';
import { eventually } from '../helpers/eventually.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';
import { findFreePort, startWorkerProcess, type WorkerProcess } from '../helpers/worker-process.ts';

const SECRET = 'hunter2-hunter2-hunter2';
const dir = createTempDir('worker-command');
const workers: WorkerProcess[] = [];
const senders = new Map<string, { path: string; secret: string }>();
let daemon: TestDaemon;
let config: Record<string, unknown>;
let token: string;

beforeAll(async () => {
  config = {
    admin: { port: await findFreePort() },
    factories: [
      {
        name: 'ours',
        source: { type: 'live' },
        runs: { executor: { type: 'queue', lease: '8s', timeout: '1m' }, concurrency: 10 },
      },
      { name: 'own', source: { type: 'live' }, runs: { executor: { type: 'command', command: ['true'] } } },
    ],
  };
  daemon = await startTestDaemon({ config });
  await daemon.api('/secrets/DEPLOY_KEY', {
    method: 'PUT',
    body: { value: SECRET, factories: ['ours', 'own'], uses: ['run'] },
  });
  for (const factory of ['ours', 'own']) {
    for (const name of ['plain', 'labelled']) {
      const { body } = await post(`/factories/${factory}/webhooks`, { name });
      senders.set(`${factory}/${name}`, { path: new URL(body.ingress_url).pathname, secret: body.secret });
      const trigger = { provider: 'webhook', event: 'received', filter: { webhooks: [name] } };
      const base = { name, prompt: 'Say what broke.', triggers: [trigger] };
      // Clients of an earlier version send `runsOn`.
      const labels = factory === 'ours' ? { runs_on: ['gpu'] } : { runsOn: ['gpu'] };
      const more = name === 'plain' ? { secrets: ['DEPLOY_KEY'] } : labels;
      const made = await post(`/factories/${factory}/automations`, { ...base, ...more });
      expect(made.status, JSON.stringify(made.body)).toBe(201);
      expect(made.body.runs_on).toEqual(name === 'plain' ? null : ['gpu']);
    }
  }
  token = (await post('/tokens', { name: 'builders', role: 'worker', factories: ['ours'] })).body.token;
});

afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.end('SIGKILL');
});
afterAll(async () => {
  expect(await daemon.end('SIGTERM')).toBe(0);
});

const post = (path: string, body?: unknown) => daemon.api(path, { method: 'POST', body });
const readRun = async (id: string) => (await daemon.api(`/runs/${id}`)).body;
const readLog = async (id: string) => String((await daemon.api(`/runs/${id}/log`)).body);
const isRun = (id: string, state: string) => async () => (await readRun(id)).state === state;

async function deliver(webhook = 'plain', factory = 'ours'): Promise<string> {
  const { path, secret } = senders.get(`${factory}/${webhook}`)!;
  const body = JSON.stringify({ step: 'lint', n: Math.random() });
  const headers = { authorization: `Bearer ${secret}` };
  const answer = await fetch(daemon.ingressUrl + path, { method: 'POST', headers, body });
  expect(answer.status).toBe(202);
  // A delivery is answered after its run is stored.
  return (await daemon.api(`/factories/${factory}/runs?limit=1`)).body.data[0].id;
}

const newState = () => mkdtempSync(join(dir, 'state-'));

function startWorker(args: string[], stateDir = newState()): WorkerProcess {
  const worker = startWorkerProcess({ url: daemon.adminUrl, token, stateDir, args });
  workers.push(worker);
  return worker;
}

/** A script whose runs note each start in a file, and wait until another file exists. */
function createScript(): { args: string[]; starts: () => string[]; release: () => void } {
  const folder = mkdtempSync(join(dir, 'script-'));
  const file = join(folder, 'agent.sh');
  const script = `#!/bin/sh
echo "$DOCKBELL_RUN_ID $$" >> ${folder}/starts
until [ -e ${folder}/go ]; do sleep 0.05; done
echo finished
`;
  writeFileSync(file, script, { mode: 0o755 });
  return {
    args: ['--exec', file],
    starts: () =>
      existsSync(join(folder, 'starts')) ? readFileSync(join(folder, 'starts'), 'utf8').trim().split('\n') : [],
    release: () => writeFileSync(join(folder, 'go'), ''),
  };
}

const pidOf = (start: string) => Number(start.split(' ')[1]);

describe('dockbell worker', { timeout: 120_000 }, () => {
  it('executes a run as the executor command does, with its secrets, which the log masks', async () => {
    const script = [
      'head -n 1; cat "$DOCKBELL_PAYLOAD"; echo',
      'echo "{\\"summary\\": \\"With $DEPLOY_KEY\\"}" > result.json',
      'grep -c "\\"bodies\\|\\"automation\\": \\"plain\\"" run.json',
      'echo "key $DEPLOY_KEY"; test "$HOME" = "$PWD" && echo "in $DOCKBELL_AUTOMATION"; exit 3',
    ].join('\n');
    const id = await deliver();
    startWorker(['--name', 'builder-1', '--exec', 'sh', '-c', script]);
    await eventually(isRun(id, 'failed'));
    expect(await readRun(id)).toMatchObject({ error: 'exit code 3', exit_code: 3, executor: 'queue', attempt: 1 });
    expect((await readRun(id)).result).toMatchObject({ summary: 'With [redacted]', problem: null });
    const log = await readLog(id);
    expect(log).toMatch(/^Say what broke\.\n\{"step":"lint","n":[\d.e-]+\}\n1\nkey \[redacted\]\nin plain\n$/);
    expect(daemon.output()).not.toContain(SECRET);
    const { data } = (await daemon.api('/workers')).body;
    expect(data).toMatchObject([{ name: 'builder-1', state: 'online', labels: [], runs: [], factories: ['ours'] }]);
  });

  it('sends the artifacts of a run, which the daemon keeps', { tags: 'full' }, async () => {
    const script = [
      'head -c 1500000 /dev/urandom > large; : > empty; echo "with $DEPLOY_KEY" > text; sha256sum < large',
      `echo '{"artifacts": [{"name": "L", "path": "large"}, {"name": "E", "path": "empty"}, {"name": "T", "path": "text"}]}' > result.json`,
    ].join('\n');
    const id = await deliver();
    const worker = startWorker(['--exec', 'sh', '-c', script]);
    await eventually(isRun(id, 'succeeded'));
    const { data } = (await daemon.api(`/runs/${id}/artifacts`)).body;
    expect(data.map(({ size }: { size: number }) => size)).toEqual([1_500_000, 0, 16]);
    const read = async (number: number) => {
      const file = join(mkdtempSync(join(dir, 'artifact-')), 'file');
      expect((await daemon.cli('run', 'artifact', id, String(number), '--save', file)).code).toBe(0);
      return readFileSync(file);
    };
    expect(await readLog(id)).toBe(
      `${createHash('sha256')
        .update(await read(1))
        .digest('hex')}  -\n`,
    );
    expect([String(await read(2)), String(await read(3))]).toEqual(['', 'with [redacted]\n']);
    expect(await worker.end('SIGTERM')).toBe(0);
    // The claim that waits ends with the worker, which is no failure.
    expect(worker.output()).toMatch(/worker stopped/);
    expect(worker.output()).not.toMatch(/WARN|warn/);
    const body = { fence: 1, size: 1, offset: 0, content_base64: 'eA==' };
    const late = await daemon.api(`/runs/${id}/artifacts/1`, { method: 'POST', body });
    expect(late).toMatchObject({ status: 409, body: { detail: expect.stringContaining('has ended as succeeded') } });
  });

  it('executes several runs at the same time, and shows their output while they run', { tags: 'full' }, async () => {
    const script = createScript();
    const worker = startWorker(['--name', 'three', '--concurrency', '3', ...script.args]);
    const runs = [await deliver(), await deliver(), await deliver(), await deliver()];
    await eventually(() => script.starts().length === 3);
    const { stdout } = await daemon.cli('worker', 'list');
    for (const start of script.starts()) expect(stdout).toContain(start.split(' ')[0]!.slice(0, 20));
    script.release();
    for (const id of runs) await eventually(isRun(id, 'succeeded'));
    expect(script.starts()).toHaveLength(4);
    expect(await worker.end('SIGTERM')).toBe(0);
  });

  it('gets only runs whose labels it has, and a run without a worker says what is missing', {
    tags: 'full',
  }, async () => {
    const id = await deliver('labelled');
    const script = createScript();
    script.release();
    const countWorkers = async () => (await daemon.api('/workers')).body.data.length;
    const before = await countWorkers();
    startWorker(script.args);
    await eventually(async () => (await countWorkers()) > before);
    const { waiting } = await readRun(id);
    expect(waiting.reason).toBe('no_matching_worker');
    expect(waiting.reason_text).toContain('the label gpu');
    startWorker(['--label', 'gpu', '--label', 'linux', ...script.args]);
    await eventually(isRun(id, 'succeeded'));
    const elsewhere = await deliver('labelled', 'own');
    expect((await readRun(elsewhere)).waiting).toMatchObject({
      reason: 'no_matching_worker',
      reason_text: expect.stringContaining('{ type: queue }'),
    });
  });

  it('that was killed leaves no command, reports it, and starts no attempt twice', { tags: 'full' }, async () => {
    const script = createScript();
    const state = newState();
    const id = await deliver();
    const killed = startWorker(script.args, state);
    await eventually(() => script.starts().length === 1);
    await killed.end('SIGKILL');
    await eventually(async () => !(await isAlive(pidOf(script.starts()[0]!))));
    startWorker(script.args, state);
    await eventually(isRun(id, 'failed'));
    expect(await readRun(id)).toMatchObject({ error: 'interrupted', attempt: 1 });
    expect(await readLog(id)).toContain('[dockbell: interrupted: the worker ended during the attempt]');
    expect(script.starts()).toHaveLength(1);
  });

  it('continues its runs while the daemon is killed and started again', { tags: 'full' }, async () => {
    const script = createScript();
    const id = await deliver();
    const worker = startWorker(script.args);
    await eventually(() => script.starts().length === 1);
    await daemon.end('SIGKILL');
    daemon = await startTestDaemon({ config, dataDir: daemon.dataDir });
    expect((await readRun(id)).state).toBe('running');
    script.release();
    await eventually(isRun(id, 'succeeded'));
    expect(await readLog(id)).toBe('finished\n');
    const next = await deliver();
    await eventually(isRun(next, 'succeeded'));
    expect(await worker.end('SIGTERM')).toBe(0);
  });

  it('whose process is frozen for longer than its lease has no command left, and its report is ignored', {
    tags: 'full',
  }, async () => {
    const script = createScript();
    const id = await deliver();
    const worker = startWorker(script.args);
    await eventually(() => script.starts().length === 1);
    worker.process.kill('SIGSTOP');
    await eventually(isRun(id, 'failed'), 20_000);
    expect(await readRun(id)).toMatchObject({ error: 'interrupted', attempt: 1 });
    await eventually(async () => !(await isAlive(pidOf(script.starts()[0]!))));
    worker.process.kill('SIGCONT');
    await eventually(() => worker.output().includes('run lost'));
    expect(await readRun(id)).toMatchObject({ state: 'failed', error: 'interrupted' });
    script.release();
    const next = await deliver();
    await eventually(isRun(next, 'succeeded'));
  });

  it('lets its run end on SIGTERM, claims no other, and ends it at the end of the drain', {
    tags: 'full',
  }, async () => {
    const script = createScript();
    const id = await deliver();
    const worker = startWorker(script.args);
    await eventually(() => script.starts().length === 1);
    worker.process.kill('SIGTERM');
    await eventually(() => worker.output().includes('worker waits for its runs'));
    const waiting = await deliver();
    script.release();
    await eventually(isRun(id, 'succeeded'));
    expect(await worker.exited).toBe(0);
    expect(await readRun(waiting)).toMatchObject({ state: 'queued', attempt: 1 });

    const endless = createScript();
    const impatient = startWorker(['--drain', '1s', ...endless.args]);
    await eventually(() => endless.starts().length === 1);
    expect(await impatient.end('SIGTERM')).toBe(0);
    expect(await readRun(waiting)).toMatchObject({ state: 'failed', error: 'interrupted', attempt: 1 });
    expect(await isAlive(pidOf(endless.starts()[0]!))).toBe(false);
  });

  it('is cancelled with its run', { tags: 'full' }, async () => {
    const script = createScript();
    const id = await deliver();
    startWorker(script.args);
    await eventually(() => script.starts().length === 1);
    expect((await daemon.cli('run', 'cancel', id)).code).toBe(0);
    await eventually(async () => !(await isAlive(pidOf(script.starts()[0]!))));
    expect((await readRun(id)).state).toBe('cancelled');
  });

  it('rejects tokens of other roles, wrong options, and a second worker in its folder', { tags: 'full' }, async () => {
    const owner = readFileSync(join(daemon.dataDir, 'admin-token'), 'utf8').trim();
    const asOwner = startWorkerProcess({
      url: daemon.adminUrl,
      token: owner,
      stateDir: newState(),
      args: ['--exec', 'true'],
    });
    expect(await asOwner.exited).toBe(4);
    expect(asOwner.output()).toContain('need a token with the role worker');
    const state = newState();
    const first = startWorker(['--exec', 'true'], state);
    await eventually(() => first.output().includes('worker started'));
    const second = startWorker(['--exec', 'true'], state);
    expect(await second.exited).toBe(2);
    expect(second.output()).toContain('is in use by another Dockbell');
    const misspelt = startWorker(['--lable', 'gpu', '--exec', 'true']);
    expect(await misspelt.exited).toBe(2);
    expect(misspelt.output()).toContain("'--lable' before --exec");
    const without = startWorker([]);
    expect(await without.exited).toBe(2);
    expect(without.output()).toContain('--exec is missing');
  });
});
