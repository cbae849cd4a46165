import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { runCli } from '../helpers/run-cli.ts';
import { mountExt4, mountOverlay, type SmallDisk } from '../helpers/small-disk.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

const MIB = 1024 * 1024;

const disks: SmallDisk[] = [];
afterEach(() => {
  for (const disk of disks.splice(0)) disk.remove();
});

/** What `dockbell doctor` finds for a stopped daemon, without the hints. */
async function listFindings(check: string, config: Record<string, unknown>): Promise<string[]> {
  const file = join(createTempDir('config'), 'dockbell.yaml');
  writeFileSync(file, stringify(config));
  const { stdout } = await runCli(['doctor', '--config', file, '--json']);
  const { findings } = JSON.parse(stdout) as { findings: { severity: string; check: string; message: string }[] };
  return findings.filter((one) => one.check === check).map(({ severity, message }) => `${severity}: ${message}`);
}

function createDataDir(parent: string): string {
  const dataDir = join(parent, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  openSqliteStorage(join(dataDir, 'dockbell.db')).close();
  return dataDir;
}

const ext4 = mountExt4(16);
ext4?.remove();

describe.skipIf(ext4 === null)('dockbell doctor finds', () => {
  it('a data directory without space for deliveries, and one without space for a copy', async () => {
    const disk = mountExt4(200)!;
    disks.push(disk);
    const dataDir = createDataDir(disk.path);
    expect(await listFindings('free-space', { dataDir })).toEqual([]);
    const database = openSqliteStorage(join(dataDir, 'dockbell.db'));
    database.close();
    writeFileSync(join(dataDir, 'dockbell.db-wal'), Buffer.alloc(100 * MIB));
    expect(await listFindings('free-space', { dataDir })).toEqual([
      expect.stringMatching(
        /^warning: \d.* free on .*, but a backup or an upgrade needs a copy of the database \(1\d\d\.\d MiB\)$/,
      ),
    ]);
    disk.fill(4 * MIB);
    expect(await listFindings('free-space', { dataDir })).toEqual([
      expect.stringMatching(/^error: 4\.0 MiB free on .*: deliveries are rejected below 16\.0 MiB$/),
    ]);
  });

  it('full disks of runs and of backups', async () => {
    const [runs, backups] = [mountExt4(32)!, mountExt4(32)!];
    disks.push(runs, backups);
    const dataDir = createDataDir(createTempDir('data'));
    const config = { dataDir, runsDir: runs.path, backup: { dir: backups.path } };
    for (const disk of disks) disk.fill(MIB);
    const others = (await listFindings('free-space', config)).filter((text) => !text.includes(dataDir));
    expect(others).toEqual(
      [runs, backups].map(({ path }) => `warning: only 1.0 MiB are free on the file system of ${path}`),
    );
  });
});

const overlay = mountOverlay();
overlay?.remove();

it.skipIf(overlay === null)('dockbell doctor finds a data directory that is lost with its container', async () => {
  const disk = mountOverlay()!;
  disks.push(disk);
  const dataDir = join(disk.path, 'data');
  expect(await listFindings('file-system', { dataDir })).toEqual([
    `warning: the data directory ${dataDir} is on a file system of type overlayfs`,
  ]);
});
