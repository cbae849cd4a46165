import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { applyCiFactory, CI_TOKEN, configureCiFactory, createCiRepository } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import type { TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

// Retention runs once a minute.
vi.setConfig({ testTimeout: 300_000 });

const LIBRARY = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';
const mayFake = existsSync(LIBRARY);
if (!mayFake) console.warn(`NOT TESTED: the clock of a daemon cannot be set without libfaketime (${LIBRARY}).`);

describe.skipIf(!mayFake)('a daemon whose system clock is set a year ahead', () => {
  let repo: TempGitRepo;
  let daemon: TestDaemon | null = null;
  beforeAll(async () => {
    repo = await createCiRepository();
  });
  afterAll(async () => {
    await daemon?.end('SIGKILL');
    repo.remove();
  });

  it('keeps its history, detects duplicates, and reports the clock until it is right', async () => {
    const clockFile = join(createTempDir('clock'), 'offset');
    const setClock = (offset: string) => writeFileSync(clockFile, `${offset}\n`);
    setClock('+0');
    daemon = await startTestDaemon({
      config: { ...configureCiFactory(repo, ['/bin/true']), retention: { minDeliveries: 1 } },
      env: {
        LD_PRELOAD: LIBRARY,
        FAKETIME_TIMESTAMP_FILE: clockFile,
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      },
    });
    const { ingressUrl, adminUrl, output, api } = daemon;
    const uid = await applyCiFactory(daemon);
    const send = async () => {
      for (let number = 0; number < 20; number += 1) {
        const headers = { authorization: `Bearer ${CI_TOKEN}`, 'x-service-delivery-id': `event-${number}` };
        const body = '{"start":true}';
        expect((await fetch(`${ingressUrl}/webhooks/w/${uid}`, { method: 'POST', headers, body })).status).toBe(202);
      }
    };
    const countByLabel = async (label: string) =>
      (await api(`/factories/payments/webhooks/${uid}/deliveries?label=${label}&limit=100`)).body.data.length;
    const readWarnings = async () =>
      ((await (await fetch(`${adminUrl}/readyz`)).json()) as { warnings: string[] }).warnings.join();

    await send();
    const runs = (await api('/factories/payments/runs?limit=200')).body.data.length;
    setClock('+365d');
    expect(await eventually(async () => /system clock/.test(await readWarnings()))).toBe(true);
    expect(output()).toContain('condition began');
    expect((await api('/factories/payments')).body.conditions).toContainEqual(
      expect.objectContaining({ type: 'ClockStepped', severity: 'warning' }),
    );
    const doctor = JSON.parse((await daemon.cli('doctor', '--json')).stdout);
    const expected = { severity: 'warning', check: 'clock', message: expect.stringMatching(/system clock/) };
    expect(doctor.findings).toContainEqual(expect.objectContaining(expected));
    // Without the protection, this retention pass would have removed nearly everything.
    const passesBefore = readLastPass(daemon.dataDir);
    await eventually(() => readLastPass(daemon!.dataDir) !== passesBefore, 90_000);
    await send();
    expect(await countByLabel('Accepted')).toBe(20);
    expect(await countByLabel('Duplicate')).toBe(20);
    expect((await api('/factories/payments/runs?limit=200')).body.data).toHaveLength(runs);

    setClock('+0');
    expect(await eventually(async () => (await readWarnings()) === '')).toBe(true);
    expect(await daemon.end('SIGTERM')).toBe(0);
  });
});

function readLastPass(dataDir: string): string {
  const db = new Database(join(dataDir, 'dockbell.db'), { readonly: true });
  const mark = db.prepare<[], Buffer>("SELECT value FROM settings WHERE key = 'retention_mark'").pluck().get();
  db.close();
  return String(mark);
}
