import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listFences } from '../helpers/documents.ts';
import { eventually } from '../helpers/eventually.ts';
import { answer, hold, RECEIVER_SECRET, type RunReceiver, startRunReceiver } from '../helpers/run-receiver.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

let receiver: RunReceiver;
let daemon: TestDaemon;
let sender: { uid: string; secret: string };

beforeAll(async () => {
  receiver = await startRunReceiver();
  daemon = await startTestDaemon({ config: configure() });
  const automation = {
    name: 'triage',
    prompt: 'Say what broke.',
    triggers: [{ provider: 'webhook', event: 'received', filter: { webhooks: ['ci'] } }],
  };
  sender = (await post('/factories/ours/webhooks', { name: 'ci' })).body;
  expect((await post('/factories/ours/automations', automation)).status).toBe(201);
}, 60_000);

afterAll(async () => {
  await receiver.close();
  expect(await daemon.end('SIGTERM')).toBe(0);
});

function configure() {
  const executor = { type: 'http', url: receiver.url, secretName: 'RUN_SIGNING', allowPrivateAddresses: true };
  return { factories: [{ name: 'ours', source: { type: 'live' }, runs: { executor } }] };
}

const post = (path: string, body: unknown) => daemon.api(path, { method: 'POST', body });
const readRun = async (id: string) => (await daemon.api(`/runs/${id}`)).body;

/** A delivery. Resolves with its run. */
async function deliver(): Promise<string> {
  const headers = { authorization: `Bearer ${sender.secret}` };
  const body = JSON.stringify({ step: 'lint', n: Math.random() });
  expect((await fetch(`${daemon.ingressUrl}/webhooks/w/${sender.uid}`, { method: 'POST', headers, body })).status).toBe(
    202,
  );
  return (await daemon.api('/factories/ours/runs?limit=1')).body.data[0].id;
}

describe('executor http', { timeout: 120_000 }, () => {
  it('keeps runs in the queue until its secret exists, and reports it', async () => {
    const id = await deliver();
    const waiting = await eventually(async () => {
      const found = (await readRun(id)).waiting;
      return found?.reason === 'start_failed' && found;
    });
    expect(waiting.reason_text).toContain('dockbell secret create RUN_SIGNING');
    const { body: factory } = await daemon.api('/factories/ours');
    expect(factory.conditions).toContainEqual(expect.objectContaining({ type: 'RunsNotStarting' }));
    receiver.script(answer(200, `done with ${RECEIVER_SECRET}`));
    const created = await daemon.api('/secrets/RUN_SIGNING', { method: 'PUT', body: { value: RECEIVER_SECRET } });
    expect(created.status).toBe(201);
    await eventually(async () => (await readRun(id)).state === 'succeeded', 60_000);
    expect((await daemon.api(`/runs/${id}/log`)).body).toBe('done with [redacted]');
  });

  it('repeats the request with its key after kill -9 and after a stop, and the run ends once', {
    tags: ['full', 'continues'],
  }, async () => {
    receiver.taken.length = 0;
    receiver.script(hold);
    const id = await deliver();
    for (const [signal, requests] of [
      ['SIGKILL', 1],
      ['SIGTERM', 2],
    ] as const) {
      await eventually(() => receiver.taken.length === requests);
      await daemon.end(signal);
      daemon = await startTestDaemon({ config: configure(), dataDir: daemon.dataDir });
    }
    await eventually(() => receiver.taken.length === 3);
    expect((await readRun(id)).state).toBe('running');
    await daemon.end('SIGKILL');
    receiver.script(answer(200));
    daemon = await startTestDaemon({ config: configure(), dataDir: daemon.dataDir });
    await eventually(async () => (await readRun(id)).state === 'succeeded');
    expect(receiver.taken.map(({ headers }) => headers['idempotency-key'])).toEqual(Array(4).fill(`${id}-1`));
    expect((await readRun(id)).attempts).toMatchObject([{ number: 1, state: 'succeeded', executor: 'http' }]);
  });

  it('works with the receiver of the guide', { tags: ['full', 'continues'] }, async () => {
    await receiver.close();
    const documented = startDocumentedReceiver(receiver.port, ['sh', '-c', 'cat; exit 3']);
    try {
      const id = await deliver();
      await eventually(async () => (await readRun(id)).state === 'failed', 60_000);
      expect(await readRun(id)).toMatchObject({ exit_code: 3, error: 'exit code 3' });
      expect((await daemon.api(`/runs/${id}/log`)).body).toMatch(
        /^Say what broke\.\n---\n\n# Delivery[\s\S]*"step":"lint"/,
      );
    } finally {
      documented.kill('SIGKILL');
      await once(documented, 'exit');
    }
  });
});

function startDocumentedReceiver(port: number, command: string[]): ChildProcess {
  const { text } = listFences('docs/guides/http-receivers.md').find(({ title }) => title === 'receiver.mjs')!;
  const file = join(createTempDir('receiver'), 'receiver.mjs');
  writeFileSync(file, text);
  const env = { PATH: process.env.PATH, RUN_SIGNING: RECEIVER_SECRET, PORT: String(port) };
  return spawn(process.execPath, [file, ...command], { env, stdio: 'ignore' });
}
