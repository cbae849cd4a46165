import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { applyCiFactory, CI_TOKEN, configureCiFactory, createCiRepository } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { mountExt4, type SmallDisk } from '../helpers/small-disk.ts';
import type { TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

// Retention runs once a minute.
vi.setConfig({ testTimeout: 900_000 });

const MIB = 1024 * 1024;
const SENDERS = 4;

const probe = mountExt4(16);
probe?.remove();

describe.skipIf(probe === null)('a daemon on a dedicated ext4 of 400 MiB', () => {
  let disk: SmallDisk;
  let repo: TempGitRepo;
  const running: TestDaemon[] = [];

  afterEach(async () => {
    await Promise.all(running.splice(0).map((daemon) => daemon.end('SIGKILL')));
    disk.remove();
    repo.remove();
  });

  async function serve(retention: string): Promise<TestDaemon> {
    const config = {
      ...configureCiFactory(repo, ['/bin/true']),
      limits: { deliveriesPerMinute: 100_000, bodyBytes: MIB },
      retention: { deliveries: retention, minDeliveries: 1, identities: retention },
    };
    const daemon = await startTestDaemon({ config, dataDir: disk.path });
    running.push(daemon);
    return daemon;
  }

  let number = 0;
  async function post({ ingressUrl }: TestDaemon, uid: string): Promise<number> {
    number += 1;
    const response = await fetch(`${ingressUrl}/webhooks/w/${uid}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${CI_TOKEN}`, 'x-service-delivery-id': `event-${number}` },
      body: JSON.stringify({ start: false, filling: 'x'.repeat(900_000) }),
    });
    await response.arrayBuffer();
    return response.status;
  }

  async function sendUntilRejected(daemon: TestDaemon, uid: string): Promise<number> {
    let accepted = 0;
    const send = async () => {
      for (;;) {
        const status = await post(daemon, uid);
        if (status !== 202) return status;
        accepted += 1;
      }
    };
    const statuses = await Promise.all(Array.from({ length: SENDERS }, send));
    expect(statuses).toEqual(statuses.map(() => 503));
    return accepted;
  }

  const acceptsAgain = (daemon: TestDaemon, uid: string) =>
    eventually(async () => (await post(daemon, uid)) === 202, 400_000);

  it('rejects deliveries when it is full, and accepts again when retention has removed rows, three times', async () => {
    disk = mountExt4(400)!;
    repo = await createCiRepository();
    const daemon = await serve('1m');
    const uid = await applyCiFactory(daemon);
    for (let round = 0; round < 3; round += 1) {
      expect(await sendUntilRejected(daemon, uid)).toBeGreaterThan(100);
      await acceptsAgain(daemon, uid);
    }
    expect(await daemon.end('SIGTERM')).toBe(0);
  });

  it('accepts again after a restart on a disk that other programs have filled', async () => {
    disk = mountExt4(400)!;
    repo = await createCiRepository();
    const first = await serve('1h');
    const uid = await applyCiFactory(first);
    expect(await sendUntilRejected(first, uid)).toBeGreaterThan(100);
    // The remaining space is for the configuration of the next start.
    disk.fill(64 * 1024);
    expect(await post(first, uid)).toBe(503);
    await first.end('SIGKILL');

    const daemon = await serve('1m');
    expect(await post(daemon, uid)).toBe(503);
    await acceptsAgain(daemon, uid);
    // Free space inside the file is sufficient to accept. Then the file shrinks, so that the ballast fits again.
    await eventually(() => statSync(join(disk.path, 'dockbell.db')).size < 300 * MIB, 120_000);
    rmSync(join(disk.path, 'filler'));
    expect(await daemon.end('SIGTERM')).toBe(0);
  });
});
