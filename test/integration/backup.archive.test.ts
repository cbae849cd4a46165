import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isRestorable } from '../../src/operations/backup/archive/backup-layout.ts';
import { formatManifest, type Manifest } from '../../src/operations/backup/archive/manifest.ts';
import {
  BLOCK_BYTES,
  countPadding,
  readTarHeader,
  writeTarHeader,
} from '../../src/operations/backup/archive/tar-header.ts';
import { type ArchiveEntry, measureArchive, writeArchive } from '../../src/operations/backup/archive/write-archive.ts';
import { checkBackup, restoreBackup } from '../../src/operations/backup/restore-backup.ts';
import { createVault } from '../../src/platform/secrets/vault.ts';
import { MIGRATIONS } from '../../src/storage/sqlite/migrations.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { beginKeyChange } from '../helpers/begin-key-change.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

const MANIFEST: Manifest = {
  createdAt: '2026-01-02T03:04:05.678Z',
  version: '0.2.0',
  schemaVersion: MIGRATIONS.length,
  schemaWrittenBy: null,
  hasLogs: false,
  hasMasterKey: false,
};

const text = (name: string, content: string | Buffer): ArchiveEntry => {
  const bytes = Buffer.from(content);
  return { name, size: bytes.length, content: { bytes } };
};
const manifest = (more: Partial<Manifest> = {}) =>
  text('dockbell-backup.json', formatManifest({ ...MANIFEST, ...more }));

function makeDatabase(): Buffer {
  const file = join(createTempDir('source'), 'dockbell.db');
  openSqliteStorage(file).close();
  return readFileSync(file);
}
const DATABASE = makeDatabase();
const database = text('dockbell.db', DATABASE);
const BRANCH = 'managed/payments.git/refs/heads/main';

async function build(entries: readonly ArchiveEntry[]): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of writeArchive(entries, 1_767_323_045_678)) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function store(archive: Buffer | readonly ArchiveEntry[]): Promise<string> {
  const file = join(createTempDir('archive'), 'backup.tar');
  writeFileSync(file, Buffer.isBuffer(archive) ? archive : await build(archive as readonly ArchiveEntry[]));
  return file;
}

const restore = (file: string, dataDir = join(createTempDir('target'), 'data')) =>
  restoreBackup({ file, dataDir, onProgress: () => {} });

describe('the archive', () => {
  it('is read by tar and sha256sum, and has the size that was announced', async () => {
    const long = `run-logs/run_${'0'.repeat(150)}.log`;
    const nested = `${'folder/'.repeat(20)}file-${'x'.repeat(60)}`;
    const entries = [manifest(), database, text(BRANCH, 'c0ffee\n'), text(nested, 'deep')];
    const archive = await build(entries);
    expect(archive.length).toBe(measureArchive(entries));
    expect(archive.length % BLOCK_BYTES).toBe(0);
    const folder = createTempDir('extracted');
    execFileSync('tar', ['xf', '-'], { cwd: folder, input: archive });
    execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder });
    expect(readFileSync(join(folder, 'dockbell.db'))).toEqual(DATABASE);
    expect(readFileSync(join(folder, nested), 'utf8')).toBe('deep');
    await expect(build([text(long, '')])).rejects.toThrow('too long for a tar archive');
  });

  it.each([0, 1, 512, 0o77777777777, 0o77777777777 + 1, 2 ** 52])('keeps the size %i in a header', (size) => {
    expect(readTarHeader(writeTarHeader({ name: 'dockbell.db', size }, 0))).toEqual({ name: 'dockbell.db', size });
  });
});

describe('restore', () => {
  it('creates the folder with exactly the content of the archive', async () => {
    const dataDir = join(createTempDir('target'), 'a/b');
    const entries = [manifest(), database, text(BRANCH, 'c0ffee\n'), text('tickets/run_01/1', '')];
    await expect(restore(await store(entries), dataDir)).resolves.toMatchObject({ files: 3, manifest: MANIFEST });
    expect(readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).sort()).toEqual([
      'dockbell.db',
      'managed',
      'managed/payments.git',
      'managed/payments.git/refs',
      'managed/payments.git/refs/heads',
      BRANCH,
      'tickets',
      'tickets/run_01',
      'tickets/run_01/1',
    ]);
    expect(readdirSync(join(dataDir, '..'))).toEqual(['b']);
  });

  it('uses an empty folder, removes what a killed restore left there, and takes its lock', async () => {
    const dataDir = createTempDir('target');
    mkdirSync(join(dataDir, '.restore-0123456789abcdef'));
    mkdirSync(join(dataDir, 'lost+found'));
    await restore(await store([manifest(), database, text(BRANCH, 'c0ffee\n')]), dataDir);
    expect(readdirSync(dataDir).sort()).toEqual(['daemon.lock', 'dockbell.db', 'lost+found', 'managed']);
    await expect(restore(await store([manifest(), database]), dataDir)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('is not empty (it contains dockbell.db, managed)'),
    });
  });

  const block = (name: string, type: string) => {
    const header = writeTarHeader({ name, size: 0 }, 0);
    header.write(type, 156, 'latin1');
    return header;
  };
  /** The header with a sum that fits. */
  const sign = (header: Buffer) => {
    header.write('        ', 148, 'latin1');
    header.write(
      `${header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
      'latin1',
    );
    return header;
  };
  const first = async () => (await build([manifest()])).subarray(0, BLOCK_BYTES * 2);
  const endless = async () => {
    const header = sign(writeTarHeader({ name: 'dockbell.db', size: 2 ** 50 }, 0));
    return Buffer.concat([await first(), header, Buffer.alloc(BLOCK_BYTES)]);
  };
  const withHeader = async (header: Buffer) => Buffer.concat([await first(), sign(header), Buffer.alloc(1024)]);
  const damaged = async (at: number) => {
    const archive = await build([manifest(), database]);
    archive[at]! ^= 1;
    return archive;
  };
  const afterManifest = BLOCK_BYTES * 2;

  it.each<[problem: string, message: string, archive: () => Promise<Buffer | ArchiveEntry[]>]>([
    ['an empty file', 'cut off', async () => Buffer.alloc(0)],
    ['another file', 'a header is damaged', async () => Buffer.from('SQLite format 3\0'.repeat(64))],
    ['zeros', 'the first file is not dockbell-backup.json', async () => Buffer.alloc(2048)],
    ['no manifest', 'the first file is not', async () => [database]],
    ['a manifest that is not JSON', 'not JSON', async () => [text('dockbell-backup.json', 'x'), database]],
    ['a manifest that is a list', 'not JSON', async () => [text('dockbell-backup.json', '[]'), database]],
    [
      'another format',
      'format of the backup is 2',
      async () => [text('dockbell-backup.json', '{"format":2}'), database],
    ],
    ['an incomplete manifest', 'incomplete', async () => [text('dockbell-backup.json', '{"format":1}'), database]],
    ['no database', 'dockbell.db is missing', async () => [manifest()]],
    [
      'an announced key that is missing',
      'wrong about master.key',
      async () => [manifest({ hasMasterKey: true }), database],
    ],
    [
      'a key that is not announced',
      'wrong about master.key',
      async () => [manifest(), database, text('master.key', 'k')],
    ],
    ['a file outside', '"../evil" is not a file', async () => [manifest(), database, text('../evil', 'x')]],
    ['an absolute path', '"/etc/passwd" is not a file', async () => [manifest(), database, text('/etc/passwd', 'x')]],
    [
      'a hook of git',
      'hooks/post-receive" is not a file',
      async () => [manifest(), text('managed/a.git/hooks/post-receive', '')],
    ],
    ['a configuration of git', 'config" is not a file', async () => [manifest(), text('managed/a.git/config', 'x')]],
    [
      'an object store elsewhere',
      'alternates" is not a file',
      async () => [manifest(), text('managed/a.git/objects/info/alternates', 'x')],
    ],
    ['an owner token', '"admin-token" is not a file', async () => [manifest(), database, text('admin-token', 'dbk_x')]],
    ['a file twice', '"dockbell.db" is there twice', async () => [manifest(), database, database]],
    ['a symbolic link', '"managed" is not a regular file (type "2")', () => withHeader(block('managed', '2'))],
    ['a hard link', 'type "1"', () => withHeader(block('dockbell.db', '1'))],
    ['a device', 'type "3"', () => withHeader(block('dockbell.db', '3'))],
    ['a folder', 'type "5"', () => withHeader(block('managed', '5'))],
    ['an extended header', 'type "x"', () => withHeader(block('dockbell.db', 'x'))],
    ['a long name of GNU tar', 'type "L"', () => withHeader(block('dockbell.db', 'L'))],
    ['a size of a petabyte', 'cut off', endless],
    ['a changed header', 'a header is damaged', () => damaged(afterManifest + 5)],
    ['a changed byte of the database', 'digests in SHA256SUMS are not those', () => damaged(afterManifest + 4000)],
    ['no digests', 'cut off', async () => (await build([manifest(), database])).subarray(0, -2048)],
    ['half of the database', 'cut off', async () => (await build([manifest(), database])).subarray(0, 20_000)],
    [
      'a file after the digests',
      'a file follows',
      async () =>
        Buffer.concat([
          (await build([manifest(), database])).subarray(0, -1024),
          writeTarHeader({ name: 'x', size: 0 }, 0),
          Buffer.alloc(1024),
        ]),
    ],
  ])('rejects %s and leaves nothing behind', async (_problem, message, archive) => {
    const parent = createTempDir('target');
    const file = await store(await archive());
    await expect(restore(file, join(parent, 'data'))).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining(message),
    });
    expect(readdirSync(parent)).toEqual([]);
    await expect(checkBackup({ file, onProgress: () => {} })).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('rejects a database of a newer Dockbell and names the version to install', async () => {
    const parent = createTempDir('target');
    const newer = { schemaVersion: MIGRATIONS.length + 1, schemaWrittenBy: '0.9.0' };
    await expect(restore(await store([manifest(newer), database]), join(parent, 'data'))).rejects.toMatchObject({
      code: 'storage_newer',
      message: expect.stringContaining('install Dockbell 0.9.0 or newer'),
    });
    const lying = Buffer.from(DATABASE);
    // `user_version` in the header of the file.
    lying.writeUInt32BE(MIGRATIONS.length + 1, 60);
    await expect(
      restore(await store([manifest(), text('dockbell.db', lying)]), join(parent, 'data')),
    ).rejects.toMatchObject({
      code: 'storage_newer',
    });
    expect(readdirSync(parent)).toEqual([]);
  });

  it('rejects the master key of another database', async () => {
    const file = join(createTempDir('source'), 'dockbell.db');
    const storage = openSqliteStorage(file);
    await storage.sealedSecrets.setKeyCheck(createVault(Buffer.alloc(32, 1)).keyCheck());
    storage.close();
    const keyed = (fill: number) => [
      manifest({ hasMasterKey: true }),
      text('dockbell.db', readFileSync(file)),
      text('master.key', `${Buffer.alloc(32, fill).toString('base64')}\n`),
    ];
    await expect(restore(await store(keyed(2)))).rejects.toMatchObject({ code: 'master_key_wrong' });
    await expect(restore(await store(keyed(1)))).resolves.toMatchObject({ files: 2 });
  });

  it('accepts either master key of a database whose key was being changed', async () => {
    const file = join(createTempDir('source'), 'dockbell.db');
    const storage = openSqliteStorage(file);
    await beginKeyChange(storage.sealedSecrets, Buffer.alloc(32, 1), Buffer.alloc(32, 2));
    storage.close();
    const restoreWith = async (fill: number) =>
      restore(
        await store([
          manifest({ hasMasterKey: true }),
          text('dockbell.db', readFileSync(file)),
          text('master.key', `${Buffer.alloc(32, fill).toString('base64')}\n`),
        ]),
      );
    await expect(restoreWith(3)).rejects.toMatchObject({ code: 'master_key_wrong' });
    for (const fill of [1, 2]) await expect(restoreWith(fill)).resolves.toMatchObject({ files: 2 });
  });

  it('rejects a damaged database whose digest is right', async () => {
    const parent = createTempDir('target');
    const damaged = Buffer.from(DATABASE);
    damaged.fill(0xff, 4096 * 4, 4096 * 6);
    await expect(
      restore(await store([manifest(), text('dockbell.db', damaged)]), join(parent, 'data')),
    ).rejects.toMatchObject({
      code: 'storage_damaged',
    });
    expect(readdirSync(parent)).toEqual([]);
  });
});

describe('names in a backup', () => {
  it.each([
    'dockbell.db',
    'master.key',
    BRANCH,
    'managed/a.git/packed-refs',
    'managed/a.git/objects/4b/825dc642cb6eb9a060e54bf8d69288fbee4904',
    'managed/a.git/objects/pack/pack-1.idx',
    'tickets/run_01kdy5zabcdefghjkmnpqrstvw/12',
    'run-logs/run_01kdy5zabcdefghjkmnpqrstvw.log',
  ])('%s may be restored', (name) => expect(isRestorable(name)).toBe(true));

  it.each([
    '',
    '.',
    '..',
    'dockbell.db-wal',
    'daemon.lock',
    'managed',
    'managed/',
    'managed/a.git',
    'managed/..git/packed-refs',
    'managed/a.git/refs/heads/..',
    'managed/a.git/refs/heads/../../config',
    'managed/a.git/objects/pack/..',
    'managed/a.git/refs/remotes/x/y',
    'tickets/../dockbell.db',
    'tickets/run_01/..',
    'run-logs/run_01.sh',
    'run-logs\\run_01.log',
    'dockbell.db\n',
    `tickets/run_01/${'1'.repeat(400)}`,
  ])('%j may not be restored', (name) => expect(isRestorable(name)).toBe(false));
});

it('pads each file to whole blocks', () => {
  expect([0, 1, 511, 512, 513].map(countPadding)).toEqual([0, 511, 1, 0, 511]);
});
