import { once } from 'node:events';
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { startGitHost } from '../helpers/git-host.ts';
import { RawConnection } from '../helpers/raw-connection.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { type DaemonProcess, startTestDaemon } from '../helpers/test-daemon.ts';

const SECRET = 'ci-secret-canary-0001';
const FILES = {
  'webhooks/ci.yaml': 'secretName: CI_SECRET\n',
  'automations/act/automation.md':
    '---\ntriggers:\n  - provider: webhook\n    event: received\n    filter: { webhooks: [ci] }\n---\nDo it.\n',
};

let repo: TempGitRepo;
let daemon: DaemonProcess;
let folder: string;
let path: string;

/** A command that ignores SIGTERM and runs until the file `end` exists. */
const AGENT = `#!/bin/sh
trap '' TERM
echo begun
while [ ! -e "$FOLDER/end" ]; do sleep 0.05; done
`;

const start = (dataDir?: string, periods = { drain: '5m', shutdownGrace: '5m' }) =>
  startTestDaemon({
    config: {
      ...periods,
      factories: [
        {
          name: 'payments',
          source: { type: 'repository', url: repo.path },
          runs: { executor: { type: 'command', command: [join(folder, 'agent.sh')] } },
        },
      ],
    },
    ...(dataDir === undefined ? {} : { dataDir }),
  });

/** A sender that has sent all but the last byte of a request. Open requests delay a stop by up to 5 s for each listener. */
async function holdRequest(url: string, target: string, body: string): Promise<{ end(): RawConnection }> {
  const head = [`POST ${target} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${SECRET}`];
  const connection = await RawConnection.open(Number(new URL(url).port));
  connection.send([...head, `Content-Length: ${body.length}`, '', body.slice(0, -1)].join('\r\n'));
  return { end: () => connection.send(body.slice(-1)) };
}

async function measureMs(work: Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work;
  return performance.now() - from;
}

/** Resolves with the ID of the run that it creates. */
async function deliver(body: string): Promise<string> {
  const headers = { authorization: `Bearer ${SECRET}` };
  expect((await fetch(`${daemon.ingressUrl}${path}`, { method: 'POST', headers, body })).status).toBe(202);
  const list = await daemon.api(`/factories/payments/runs?limit=1`);
  return list.body.data[0].id;
}

const readRun = async (id: string) => (await daemon.api(`/runs/${id}`)).body;
const reaches = (id: string, state: string) =>
  eventually(async () => {
    const run = await readRun(id);
    return run.state === state ? run : null;
  }, 20_000);

beforeAll(async () => {
  repo = await createTempGitRepo();
  await repo.commit(FILES);
  folder = createTempDir('drain');
  writeFileSync(join(folder, 'agent.sh'), AGENT.replaceAll('$FOLDER', folder));
  chmodSync(join(folder, 'agent.sh'), 0o755);
  daemon = await start();
  await daemon.api('/secrets/CI_SECRET', { method: 'PUT', body: { value: SECRET } });
  await eventually(async () => (await daemon.api('/factories/payments')).body.applied_revision, 20_000);
  const webhooks = await daemon.api('/factories/payments/webhooks');
  path = new URL(webhooks.body.data[0].ingress_url).pathname;
});

afterAll(async () => {
  await daemon?.end('SIGKILL');
  repo?.remove();
});

it('a drain starts no run, while deliveries are accepted, until it is cancelled', async () => {
  const drained = await daemon.cli('drain', '--wait');
  expect(drained).toMatchObject({ code: 0, stdout: 'No run starts. No run is executed: the daemon can be stopped.\n' });
  const id = await deliver('{"n":1}');
  expect((await readRun(id)).waiting).toMatchObject({ reason: 'draining', position: 1 });
  const { stdout } = await daemon.cli('status');
  expect(stdout).toContain("no run starts, and none is executed. 'dockbell drain --cancel' starts runs again");

  expect(await daemon.cli('drain', '--cancel')).toMatchObject({ code: 0, stdout: 'Runs start.\n' });
  await reaches(id, 'running');
  const again = await daemon.cli('drain');
  expect(again.stdout).toContain("1 run is still executed: 'dockbell drain --wait' waits for the end.");
  const waiting = daemon.cli('drain', '--wait');
  writeFileSync(join(folder, 'end'), '');
  expect(await waiting).toMatchObject({ code: 0 });
  expect(await readRun(id)).toMatchObject({ state: 'succeeded' });
  await daemon.cli('drain', '--cancel');
});

it('SIGTERM waits for running commands while deliveries are accepted, and the next daemon starts their runs', {
  tags: ['full', 'continues'],
}, async () => {
  rmSync(join(folder, 'end'));
  const first = await deliver('{"n":2}');
  await reaches(first, 'running');
  process.kill(daemon.pid, 'SIGTERM');
  await eventually(async () => (await daemon.api('/drain')).body.state === 'stopping', 10_000);
  const second = await deliver('{"n":3}');
  expect((await readRun(second)).waiting).toMatchObject({ reason: 'stopping' });
  expect((await daemon.api('/drain', { method: 'DELETE' })).status).toBe(409);
  expect((await daemon.api('/reload', { method: 'POST' })).status).toBe(409);
  writeFileSync(join(folder, 'end'), '');
  expect(await daemon.exited).toBe(0);
  expect(existsSync(join(daemon.dataDir, 'daemon.json'))).toBe(false);

  daemon = await start(daemon.dataDir);
  expect(await readRun(first)).toMatchObject({ state: 'succeeded', attempt: 1 });
  await reaches(second, 'succeeded');
});

it('a second SIGTERM ends commands immediately, and their logs say why', { tags: ['full', 'continues'] }, async () => {
  rmSync(join(folder, 'end'));
  const id = await deliver('{"n":4}');
  await reaches(id, 'running');
  await eventually(async () => (await daemon.api(`/runs/${id}/log`)).body.includes('begun'), 10_000);
  process.kill(daemon.pid, 'SIGTERM');
  await eventually(async () => (await daemon.api('/drain')).body.state === 'stopping', 10_000);
  expect(await daemon.end('SIGTERM')).toBe(0);
  daemon = await start(daemon.dataDir);
  expect(await readRun(id)).toMatchObject({ state: 'failed', error: 'interrupted' });
  expect((await daemon.api(`/runs/${id}/log`)).body).toBe('begun\n\n[dockbell: interrupted: the daemon stopped]\n');
});

it('a second SIGTERM ends soon although senders hold requests, and answers one that is completed in time', {
  tags: 'full',
}, async () => {
  await holdRequest(daemon.adminUrl, '/api/v1/drain', '{}');
  await holdRequest(daemon.ingressUrl, path, '{"n":5}');
  const late = await holdRequest(daemon.ingressUrl, path, '{"n":6}');
  process.kill(daemon.pid, 'SIGTERM');
  await eventually(() => daemon.output().includes('daemon stopping'));
  const stopMs = measureMs(daemon.end('SIGTERM'));
  const answer = await late.end().readAnswer();
  expect(answer?.status).toBe(202);
  expect(await stopMs).toBeLessThan(5_000);
  expect(await daemon.exited).toBe(0);

  daemon = await start(daemon.dataDir, { drain: '200ms', shutdownGrace: '100ms' });
  const { body } = await daemon.api('/factories/payments/deliveries?limit=1');
  expect(body.data[0]).toMatchObject(JSON.parse(answer!.body));
  expect((await daemon.api(`/deliveries/${body.data[0].id}/payload`)).body).toEqual({ n: 6 });
});

it('a stop ends soon when drain has passed, although a sender holds a request', { tags: 'full' }, async () => {
  const id = await deliver('{"n":7}');
  await reaches(id, 'running');
  await holdRequest(daemon.ingressUrl, path, '{"n":8}');
  expect(await measureMs(daemon.end('SIGTERM'))).toBeLessThan(4_500);
  daemon = await start(daemon.dataDir);
  expect((await daemon.api(`/runs/${id}/log`)).body).toContain('drain (200ms) had passed');
});

it('a second SIGTERM does not wait for a status target that hangs', { tags: 'full' }, async () => {
  const host = await startGitHost();
  host.hang();
  const source = { type: 'repository', url: repo.path };
  const notify = [{ type: 'github', url: `${host.url}/github`, repository: 'team/factory', secretName: 'CI_SECRET' }];
  const notifying = await startTestDaemon({
    config: { drain: '5m', factories: [{ name: 'payments', source, notify }] },
  });
  await notifying.api('/secrets/CI_SECRET', { method: 'PUT', body: { value: SECRET } });
  await eventually(() => host.requests > 0);
  process.kill(notifying.pid, 'SIGTERM');
  await eventually(() => notifying.output().includes('daemon stopping'));
  expect(await measureMs(notifying.end('SIGTERM'))).toBeLessThan(2_000);
  expect(await notifying.exited).toBe(0);
  await host.close();
});

it('a stop does not wait for a receiver of traces that hangs: 2 seconds, and none after a second SIGTERM', {
  tags: 'full',
}, async () => {
  const hanging = createServer(() => {}).listen(0, '127.0.0.1');
  await once(hanging, 'listening');
  const { port } = hanging.address() as AddressInfo;
  const telemetry = { otlpEndpoint: `http://127.0.0.1:${port}` };
  const config = { drain: '5m', telemetry, factories: [{ name: 'traced', source: { type: 'live' } }] };
  const stop = async (...later: NodeJS.Signals[]) => {
    const traced = await startTestDaemon({ config });
    const requested = once(hanging, 'request');
    const { body } = await traced.api('/factories/traced/webhooks', { method: 'POST', body: { name: 'ci' } });
    const headers = { authorization: `Bearer ${body.secret}` };
    expect((await fetch(body.ingress_url, { method: 'POST', headers, body: '{}' })).status).toBe(202);
    await requested;
    process.kill(traced.pid, 'SIGTERM');
    await eventually(() => traced.output().includes('daemon stopping'));
    for (const signal of later) process.kill(traced.pid, signal);
    const ms = await measureMs(traced.exited);
    expect(await traced.exited).toBe(0);
    return ms;
  };
  expect(await stop()).toBeLessThan(5_000);
  expect(await stop('SIGTERM')).toBeLessThan(1_500);
  hanging.closeAllConnections();
  hanging.close();
});
