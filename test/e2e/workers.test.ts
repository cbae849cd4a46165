import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../helpers/command-runs.ts';
import { listFences } from '../helpers/documents.ts';
import { eventually } from '../helpers/eventually.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

const CONFIG = {
  factories: [
    { name: 'ours', source: { type: 'live' }, runs: { executor: { type: 'queue', lease: '10s' }, concurrency: 2 } },
    { name: 'idle', source: { type: 'live' } },
    { name: 'own', source: { type: 'live' }, runs: { executor: { type: 'command', command: ['true'] } } },
  ],
};
const AUTOMATION = {
  name: 'triage',
  prompt: 'Say what broke.',
  triggers: [{ provider: 'webhook', event: 'received', filter: { webhooks: ['ci'] } }],
};

const dir = createTempDir('workers');
/** Code blocks of the guide by their title: the files to create, and the commands to type. */
const guide = new Map(listFences('docs/guides/workers.md').map(({ title, text }) => [title, text]));
const workerFile = join(dir, 'worker.mjs');
const workers: ChildProcess[] = [];
let daemon: TestDaemon;
let token: string;
const senders = new Map<string, { url: string; secret: string }>();

beforeAll(async () => {
  for (const name of ['worker.mjs', 'agent.sh']) writeFileSync(join(dir, name), guide.get(name)!);
  daemon = await startTestDaemon({ config: CONFIG });
  for (const { name } of CONFIG.factories) {
    const { status, body } = await post(`/factories/${name}/webhooks`, { name: 'ci' });
    expect(status, JSON.stringify(body)).toBe(201);
    senders.set(name, { url: body.ingress_url, secret: body.secret });
    expect((await post(`/factories/${name}/automations`, AUTOMATION)).status).toBe(201);
  }
  const made = await post('/tokens', { name: 'workers', role: 'operator', factories: ['ours'] });
  token = made.body.token;
});

afterAll(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  expect(await daemon.end('SIGTERM')).toBe(0);
});

const post = (path: string, body?: unknown, bearer?: string) =>
  daemon.api(path, { method: 'POST', body, ...(bearer === undefined ? {} : { token: bearer }) });

/** A delivery and its run. */
async function deliver(factory = 'ours'): Promise<string> {
  const { url, secret } = senders.get(factory)!;
  const body = JSON.stringify({ step: 'lint', n: Math.random() });
  const answer = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${secret}` }, body });
  expect(answer.status).toBe(202);
  return eventually(async () => {
    const { data } = (await daemon.api(`/factories/${factory}/runs?limit=1`)).body;
    return data[0]?.state === 'queued' && (data[0].id as string);
  });
}

const readRun = async (id: string) => (await daemon.api(`/runs/${id}`)).body;
const isRun = (id: string, state: string) => async () => (await readRun(id)).state === state;

const workerEnv = () => ({ PATH: process.env.PATH, DOCKBELL_URL: daemon.adminUrl, DOCKBELL_TOKEN: token });

function startWorker(...command: string[]): ChildProcess {
  const worker = spawn(process.execPath, [workerFile, ...command], { env: workerEnv(), stdio: 'ignore' });
  workers.push(worker);
  return worker;
}

/** The commands of the guide, run in the folder of the two files with the address and token of the test. */
function startAsTheGuideShows(): ChildProcess {
  const lines = guide.get('start the worker')!.matchAll(/^\$ (.+)$/gm);
  const commands = [...lines].map(([, line]) => line!).filter((line) => !line.startsWith('export '));
  const last = commands.pop();
  const worker = spawn('sh', ['-ec', [...commands, `exec ${last}`].join('\n')], {
    cwd: dir,
    env: { ...workerEnv(), PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    stdio: 'ignore',
  });
  workers.push(worker);
  return worker;
}

/** Kills it and waits for its end, because a living worker could claim the next run of the test. */
async function stop(worker: ChildProcess): Promise<void> {
  const ended = once(worker, 'exit');
  worker.kill('SIGKILL');
  await ended;
}

describe('workers', { timeout: 120_000 }, () => {
  it('execute runs when the guide is followed to the letter, and end on SIGTERM', { tags: 'full' }, async () => {
    const id = await deliver();
    const worker = startAsTheGuideShows();
    await eventually(isRun(id, 'succeeded'));
    const { stdout } = await daemon.cli('run', 'log', id);
    expect(stdout).toMatch(new RegExp(`^Run ${id}: Say what broke\\.\\n\\{"step":"lint","n":[\\d.e-]+\\}$`));
    worker.kill('SIGTERM');
    expect(await once(worker, 'exit')).toEqual([0, null]);
  });

  it('report a program that cannot be started, and continue', { tags: 'full' }, async () => {
    const [first, second] = [await deliver(), await deliver()];
    const worker = startWorker('./no-such-agent.sh');
    await eventually(isRun(first, 'failed'));
    await eventually(isRun(second, 'failed'));
    expect(await readRun(first)).toMatchObject({ attempt: 1, error: expect.stringContaining('ENOENT') });
    await stop(worker);
  });

  it('stop their program on SIGTERM and report its end', { tags: 'full' }, async () => {
    const id = await deliver();
    const pidFile = join(mkdtempSync(join(dir, 'pid-')), 'pid');
    // The program has a child process, and only the child writes at its end.
    const worker = startWorker('sh', '-c', 'echo up; (echo $$ > "$0"; exec sleep 1000)', pidFile);
    await eventually(async () => String((await daemon.api(`/runs/${id}/log`)).body).includes('up'));
    worker.kill('SIGTERM');
    expect(await once(worker, 'exit')).toEqual([0, null]);
    expect(await readRun(id)).toMatchObject({ state: 'failed', error: 'the worker was stopped', attempt: 1 });
    expect(await isAlive(Number(readFileSync(pidFile, 'utf8')))).toBe(false);
  });

  it('execute runs as in the guide, with prompt, payload and a log that grows', { tags: 'full' }, async () => {
    const id = await deliver();
    const seen = join(dir, 'seen');
    const script = 'cat "$DOCKBELL_PAYLOAD"; echo; head -n 1; until [ -e "$0" ]; do sleep 0.1; done; echo done';
    const worker = startWorker('sh', '-c', script, seen);
    await eventually(async () => String((await daemon.api(`/runs/${id}/log`)).body).includes('Say what broke.'));
    writeFileSync(seen, '');
    await eventually(isRun(id, 'succeeded'));
    const { stdout } = await daemon.cli('run', 'log', id);
    expect(stdout).toMatch(/^\{"step":"lint","n":[\d.e-]+\}\nSay what broke\.\ndone\n$/);
    expect(await readRun(id)).toMatchObject({ executor: 'queue', attempt: 1, exit_code: 0, error: null });
    await stop(worker);

    const failing = await deliver();
    const another = startWorker('sh', '-c', 'echo no; exit 3');
    await eventually(isRun(failing, 'failed'));
    expect(await readRun(failing)).toMatchObject({ exit_code: 3, error: 'exit code 3' });
    await stop(another);
  });

  it('that die lose their run to the next worker, and late reports are ignored', { tags: 'full' }, async () => {
    const id = await deliver();
    const dying = startWorker('sleep', '1000');
    await eventually(isRun(id, 'running'));
    const fence = (await readRun(id)).attempt as number;
    await stop(dying);
    const again = await eventually(async () => (await post('/runs/claim', {}, token)).body.data[0] ?? null);
    expect([again.run.id, again.fence, again.lease_seconds]).toEqual([id, fence + 1, 10]);
    expect((await post(`/runs/${id}/complete`, { fence, state: 'succeeded' }, token)).status).toBe(409);
    const said = { fence: fence + 1, state: 'failed', error: 'it broke', log: 'broken\n' };
    expect((await post(`/runs/${id}/complete`, said, token)).body).toMatchObject({
      state: 'failed',
      error: 'it broke',
    });
    const { stdout } = await daemon.cli('run', 'log', id);
    expect(stdout).toMatch(new RegExp(`\\[dockbell: attempt ${fence + 1}, .*\\]\nbroken\n$`));
  });

  it('learn that a run was cancelled from their next heartbeat', { tags: 'full' }, async () => {
    const id = await deliver();
    const [claimed] = (await post('/runs/claim', {}, token)).body.data;
    expect(claimed.run.id).toBe(id);
    expect((await daemon.cli('run', 'cancel', id)).code).toBe(0);
    const beat = await post(`/runs/${id}/heartbeat`, { fence: 1 }, token);
    expect([beat.status, beat.body.detail]).toEqual([409, 'The run has ended as cancelled. Stop working on it.']);
  });

  it('keep their runs when the daemon is killed and started again', { tags: 'full' }, async () => {
    const id = await deliver();
    expect((await post('/runs/claim', {}, token)).body.data).toHaveLength(1);
    await daemon.end('SIGKILL');
    daemon = await startTestDaemon({ config: CONFIG, dataDir: daemon.dataDir });
    expect((await post(`/runs/${id}/heartbeat`, { fence: 1 }, token)).status).toBe(200);
    expect((await post(`/runs/${id}/complete`, { fence: 1, state: 'succeeded' }, token)).status).toBe(200);
    expect(await readRun(id)).toMatchObject({ state: 'succeeded', attempt: 1 });
  });

  it('get runs of factories without an executor too, but none of factories with a command', {
    tags: 'full',
  }, async () => {
    senders.set('idle', { ...senders.get('idle')!, url: moved(senders.get('idle')!.url) });
    const id = await deliver('idle');
    expect((await post('/runs/claim', { factory: 'idle' }, token)).status).toBe(404);
    expect((await post('/runs/claim', { factory: 'idle' })).body.data).toMatchObject([
      { run: { id }, lease_seconds: 60 },
    ]);
    const refused = await post('/runs/claim', { factory: 'own' });
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('{ type: queue }')]);
  });
});

/** A restarted daemon listens on other ports. */
function moved(url: string): string {
  return daemon.ingressUrl + new URL(url).pathname;
}
