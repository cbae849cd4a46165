import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyCiFactory, CI_TOKEN, configureCiFactory, createCiRepository } from '../helpers/ci-factory.ts';
import { type ForeignLock, lockDatabase } from '../helpers/database-lock.ts';
import { eventually } from '../helpers/eventually.ts';
import type { TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

/** A probe of a load balancer waits for a second. Reads are much faster than the 5 seconds that a write waits. */
const [PROBE_MS, READ_MS] = [1_000, 2_500];
const DELIVERY_MS = 8_500;
const NOTICED_MS = 15_000;

let repo: TempGitRepo;
let daemon: TestDaemon;
let uid: string;
let held: ForeignLock | null = null;

beforeAll(async () => {
  repo = await createCiRepository();
  daemon = await startTestDaemon({ config: configureCiFactory(repo, ['/bin/true']) });
  uid = await applyCiFactory(daemon);
});
afterAll(async () => {
  await held?.release();
  await daemon?.end('SIGTERM');
  repo?.remove();
});

async function ask(url: string, init: RequestInit = {}) {
  const startedAt = performance.now();
  const answer = await fetch(url, init);
  const text = await answer.text();
  return { status: answer.status, text, headers: answer.headers, ms: performance.now() - startedAt };
}

const post = (id: string) =>
  ask(`${daemon.ingressUrl}/webhooks/w/${uid}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${CI_TOKEN}`, 'x-service-delivery-id': id },
    body: '{}',
  });

async function countDeliveries(): Promise<number> {
  return (await daemon.api(`/factories/payments/webhooks/${uid}/deliveries`)).body.data.length;
}

it('serves reads, probes and metrics while another process locks the database', { tags: 'full' }, async () => {
  expect((await post('first')).status).toBe(202);
  expect(await countDeliveries()).toBe(1);
  const [{ id }] = (await daemon.api(`/factories/payments/webhooks/${uid}/deliveries`)).body.data;
  const readPayload = () => daemon.api(`/deliveries/${id}/payload`);
  const listReads = async () => (await daemon.api('/audit?include=reads')).body.data;
  held = await lockDatabase(join(daemon.dataDir, 'dockbell.db'));

  // Nobody writes, and no probe asks.
  await eventually(() => daemon.output().includes('DatabaseLocked'), NOTICED_MS);
  const status = await daemon.cli('status');
  expect(status).toMatchObject({ code: 1, stdout: expect.stringContaining('locked by another process') });
  const doctor = await daemon.cli('doctor');
  expect(doctor).toMatchObject({ code: 1, stdout: expect.stringContaining('database-lock') });

  for (const url of [daemon.ingressUrl, daemon.adminUrl]) {
    // The answer of the public listener is at most a second old.
    await eventually(async () => {
      const asked = await ask(`${url}/readyz`);
      expect(asked.ms).toBeLessThan(PROBE_MS);
      return asked.status === 503;
    });
  }
  expect(await ask(`${daemon.ingressUrl}/healthz`)).toMatchObject({ status: 200 });

  const token = readFileSync(join(daemon.dataDir, 'admin-token'), 'utf8').trim();
  const startedAt = performance.now();
  expect((await daemon.api('/factories')).status).toBe(200);
  // Its audit entry cannot be stored, and the read does not wait for it.
  expect((await readPayload()).status).toBe(200);
  expect(await listReads()).toEqual([]);
  expect(await countDeliveries()).toBe(1);
  const metrics = await ask(`${daemon.adminUrl}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  expect(metrics.status).toBe(200);
  expect(performance.now() - startedAt).toBeLessThan(READ_MS);

  await eventually(() => daemon.output().includes('read not audited'), NOTICED_MS);
  await held.release();
  expect((await post('second')).status).toBe(202);
  expect((await readPayload()).status).toBe(200);
  await eventually(async () => (await listReads()).length === 1);
  await eventually(async () => (await ask(`${daemon.adminUrl}/readyz`)).status === 200, PROBE_MS);
  expect(await countDeliveries()).toBe(2);
  const lines = daemon
    .output()
    .split('\n')
    .filter((line) => line.includes('DatabaseLocked'));
  expect(lines).toEqual([expect.stringContaining('condition began'), expect.stringContaining('condition ended')]);
});

it('answers 503 to a delivery that cannot be stored, and accepts it later', { tags: 'full' }, async () => {
  held = await lockDatabase(join(daemon.dataDir, 'dockbell.db'));
  const answer = await post('third');
  expect(answer).toMatchObject({ status: 503 });
  expect(answer.headers.get('retry-after')).toBe('5');
  expect(answer.ms).toBeLessThan(DELIVERY_MS);
  await held.release();
  expect((await post('third')).status).toBe(202);
  const { data } = (await daemon.api(`/factories/payments/webhooks/${uid}/deliveries`)).body;
  expect(data[0]).toMatchObject({ label: 'Accepted', delivery_id: 'third' });
});
