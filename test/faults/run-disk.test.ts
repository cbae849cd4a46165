import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  applyCiFactory,
  CI_TOKEN,
  configureCiFactory,
  createCiRepository,
  settleCiFactory,
} from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { mountTmpfs, type SmallDisk } from '../helpers/small-disk.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import type { TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

const COMMAND = ['/bin/echo', 'done'];

const probe = mountTmpfs(1);
probe?.remove();

describe.skipIf(probe === null)('a full disk of runs', () => {
  let disk: SmallDisk;
  let repo: TempGitRepo;
  let dataDir: string;
  let daemon: TestDaemon;

  afterEach(async () => {
    await daemon.end('SIGKILL');
    execFileSync('umount', ['--lazy', join(dataDir, 'run-logs')]);
    disk.remove();
    repo.remove();
  });

  it('accepts deliveries, and their runs wait with the reason until there is space', async () => {
    repo = await createCiRepository();
    dataDir = createTempDir('run-disk');
    disk = mountTmpfs(2)!;
    const config = { ...configureCiFactory(repo, COMMAND), runsDir: join(disk.path, 'runs') };
    daemon = await startTestDaemon({ dataDir, config });
    const uid = await applyCiFactory(daemon);
    expect(await daemon.end('SIGTERM')).toBe(0);
    mountLogsOn(disk, dataDir);
    daemon = await startTestDaemon({ dataDir, config });
    const filler = disk.fill();

    for (const name of ['first', 'second', 'third']) expect(await post(daemon, uid, name)).toBe(202);
    const reason = await eventually(async () => {
      const { body } = await daemon.api('/factories/payments/runs');
      expect(body.data.map(({ state }: { state: string }) => state)).not.toContain('failed');
      const { waiting } = body.data[0];
      return waiting?.reason === 'start_failed' && (waiting.reason_text as string);
    });
    expect(reason).toContain('ENOSPC');
    const status = await daemon.cli('status');
    expect(status.stdout).toMatch(/RunsNotStarting=True.*ENOSPC/);
    const doctor = await daemon.cli('doctor');
    expect(doctor.stdout).toMatch(/free-space: only 0 B are free on the file system of .*runs/);
    expect((await fetch(`${daemon.adminUrl}/readyz`)).status).toBe(200);

    rmSync(filler);
    await settleCiFactory(daemon, await repo.git(['rev-parse', 'HEAD']));
    const { body } = await daemon.api('/factories/payments/runs?limit=50');
    const ends = body.data.map(({ state, attempt }: { state: string; attempt: number }) => `${state} ${attempt}`);
    expect(ends).toEqual(Array.from({ length: 6 }, () => 'succeeded 1'));
    expect(await daemon.end('SIGTERM')).toBe(0);
  });
});

/** Mounts a folder of the disk on the folder of the logs. */
function mountLogsOn({ path }: SmallDisk, dataDir: string): void {
  const logs = join(path, 'logs');
  mkdirSync(logs, { mode: 0o700 });
  mkdirSync(join(dataDir, 'run-logs'), { recursive: true, mode: 0o700 });
  execFileSync('mount', ['--bind', logs, join(dataDir, 'run-logs')]);
}

async function post({ ingressUrl }: TestDaemon, uid: string, name: string): Promise<number> {
  const headers = { authorization: `Bearer ${CI_TOKEN}`, 'x-service-delivery-id': name };
  const body = JSON.stringify({ start: true });
  const response = await fetch(`${ingressUrl}/webhooks/w/${uid}`, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
}
