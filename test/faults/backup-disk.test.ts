import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { eventually } from '../helpers/eventually.ts';
import { runCli } from '../helpers/run-cli.ts';
import { mountExt4, type SmallDisk } from '../helpers/small-disk.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { type DaemonProcess, startTestDaemon } from '../helpers/test-daemon.ts';

const MIB = 1024 * 1024;
const DATABASE_BYTES = 80 * MIB;
const FILLING = 'x'.repeat(900_000);

function findCopyProcess(daemon: number): number | null {
  const { stdout } = spawnSync('pgrep', ['--parent', String(daemon), '--full', 'copy-worker'], { encoding: 'utf8' });
  return stdout === '' ? null : Number(stdout);
}

const probe = mountExt4(16);
probe?.remove();

describe.skipIf(probe === null)('a backup on a disk that is nearly full', () => {
  let daemon: DaemonProcess;
  /** Holds the data directory. */
  let dataDisk: SmallDisk;
  /** Holds the backups. */
  let backupDisk: SmallDisk;
  let hook: { uid: string; secret: string };
  let sent = 0;
  let filler: string;

  async function post(body: object): Promise<number> {
    const response = await fetch(`${daemon.ingressUrl}/webhooks/w/${hook.uid}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${hook.secret}` },
      body: JSON.stringify({ n: ++sent, ...body }),
    });
    await response.arrayBuffer();
    return response.status;
  }

  async function readWarnings(): Promise<string[]> {
    const answer = (await (await fetch(`${daemon.adminUrl}/readyz`)).json()) as { warnings: string[] };
    return answer.warnings;
  }

  const listUnfinished = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.tmp'));

  /** The daemon accepts and has lost nothing, and a backup to a disk with space is whole. */
  async function expectUnhurt(): Promise<void> {
    expect(await post({})).toBe(202);
    const { body } = await daemon.api(`/factories/ours/webhooks/${hook.uid}/deliveries?limit=1`);
    expect((await daemon.api(`/deliveries/${body.data[0].id}/payload`)).body).toEqual({ n: sent });
    expect(listUnfinished(daemon.dataDir)).toEqual([]);
  }

  beforeAll(async () => {
    dataDisk = mountExt4(500)!;
    backupDisk = mountExt4(48)!;
    daemon = await startTestDaemon({
      dataDir: dataDisk.path,
      config: {
        limits: { deliveriesPerMinute: 100_000, bodyBytes: MIB },
        factories: [{ name: 'ours', source: { type: 'managed' } }],
      },
    });
    hook = JSON.parse((await daemon.cli('webhook', 'create', 'ci', '--json')).stdout);
    while (statSync(join(daemon.dataDir, 'dockbell.db')).size < DATABASE_BYTES)
      expect(await post({ FILLING })).toBe(202);
  });

  afterAll(async () => {
    await daemon?.end('SIGKILL');
    dataDisk?.remove();
    backupDisk?.remove();
  });

  it('fails with one sentence if the file does not fit, and leaves no part of it', async () => {
    const file = join(backupDisk.path, 'whole.tar');
    const { code, stdout, stderr } = await daemon.cli('backup', file);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(
      /whole\.tar\.[0-9a-f]+\.tmp cannot be written: its disk is full: free some space, or use another disk\n$/,
    );
    expect(readdirSync(backupDisk.path)).toEqual(['lost+found']);
    await expectUnhurt();
  });

  it('fails before the copy if the data directory has no space for it, and says how much it needs', async () => {
    filler = dataDisk.fill(100 * MIB);
    const { findings } = JSON.parse((await daemon.cli('doctor', '--json')).stdout);
    const message = expect.stringMatching(/a backup or an upgrade needs a copy of the database \(\d/);
    expect(findings).toContainEqual(expect.objectContaining({ severity: 'warning', check: 'free-space', message }));
    const folder = createTempDir('backup');
    const { code, stderr } = await daemon.cli('backup', join(folder, 'none.tar'));
    expect(code).toBe(3);
    expect(stderr).toMatch(/a copy of the database needs \d+ MiB on the file system of .*: free some space there/);
    expect(readdirSync(folder)).toEqual([]);
    await expectUnhurt();
  });

  it('is aborted when other programs fill the disk of the data directory during the copy', async () => {
    rmSync(filler);
    const folder = createTempDir('backup');
    const backup = daemon.cli('backup', join(folder, 'none.tar'));
    const copying = await eventually(() => findCopyProcess(daemon.pid));
    // The disk fills faster than the copy proceeds.
    process.kill(copying, 'SIGSTOP');
    filler = dataDisk.fill(40 * MIB);
    // Without a guard, the copy would now fill the rest.
    setTimeout(() => spawnSync('kill', ['-CONT', String(copying)]), 5_000);
    const { code, stderr } = await backup;
    expect(code).toBe(3);
    expect(stderr).toMatch(/the copy of the database was aborted: the file system of .* is nearly full/);
    expect(readdirSync(folder)).toEqual([]);
    await expectUnhurt();
  });

  it('is a condition if it is a scheduled one, until the next one fits', async () => {
    const setFolder = async (dir: string) => {
      const file = join(daemon.dataDir, 'dockbell.yaml');
      writeFileSync(file, stringify({ ...parse(readFileSync(file, 'utf8')), backup: { every: '1h', dir } }));
      expect((await daemon.cli('reload')).stdout).toContain('backup.dir');
    };
    rmSync(filler);
    await setFolder(join(backupDisk.path, 'scheduled'));
    const findWarning = async () =>
      (await readWarnings()).find((text) => text.startsWith('the scheduled backup failed'));
    const warning = await eventually(findWarning, 20_000);
    expect(warning).toMatch(/no backup was stored yet: .* cannot be written: its disk is full/);
    expect((await daemon.cli('status')).stdout).toContain('the scheduled backup failed');
    const doctor = JSON.parse((await daemon.cli('doctor', '--json')).stdout);
    expect(doctor.findings).toContainEqual(
      expect.objectContaining({ severity: 'error', check: 'backup', message: warning }),
    );
    expect(readdirSync(join(backupDisk.path, 'scheduled'))).toEqual([]);
    await expectUnhurt();
    const folder = createTempDir('scheduled');
    await setFolder(folder);
    await eventually(() => readdirSync(folder).some((name) => name.endsWith('.tar')), 20_000);
    await eventually(async () => (await readWarnings()).length === 0);
    await eventually(async () => (await daemon.api('/backup')).body.running === null);
  });

  it('cannot be restored to a disk without space, and then leaves nothing there', async () => {
    const file = join(createTempDir('backup'), 'whole.tar');
    expect((await daemon.cli('backup', file)).code).toBe(0);
    const { code, stderr } = await runCli(['restore', file, '--data-dir', join(backupDisk.path, 'data')]);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/dockbell\.db cannot be written: its disk is full/)]);
    expect(readdirSync(backupDisk.path).sort()).toEqual(['lost+found', 'scheduled']);
    expect((await runCli(['restore', file, '--verify-only'])).code).toBe(0);
  });
});
