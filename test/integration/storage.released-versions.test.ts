import { createHmac } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../src/storage/sqlite/migrations.ts';
import { locate, readDocument } from '../helpers/documents.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

interface Expected {
  version: string;
  masterKey: string;
  webhooks: { factory: string; name: string; uid: string; secret: string }[];
  deliveries: [deliveryId: string, label: string][];
  runs: { id: string; automation: string; state: string }[];
}

const FOLDER = locate('test/fixtures/databases/');
const VERSIONS = readdirSync(FOLDER, { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? [one.name] : []));

it('each released version has a database here', () => {
  const released = [...readDocument('CHANGELOG.md').matchAll(/^## (\d+\.\d+\.\d+)/gm)].map((match) => match[1]);
  expect(VERSIONS.sort()).toEqual(released.sort());
});

/** As a data directory of that version after a clean stop. */
function unpack(version: string): { dataDir: string; expected: Expected; schemaVersion: number } {
  const dataDir = join(createTempDir('released'), 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const expected: Expected = JSON.parse(readFileSync(new URL(`${version}/expected.json`, FOLDER), 'utf8'));
  const database = join(dataDir, 'dockbell.db');
  writeFileSync(database, gunzipSync(readFileSync(new URL(`${version}/dockbell.db.gz`, FOLDER))), { mode: 0o600 });
  writeFileSync(join(dataDir, 'master.key'), `${expected.masterKey}\n`, { mode: 0o600 });
  const db = new Database(database, { readonly: true });
  const schemaVersion = db.pragma('user_version', { simple: true }) as number;
  db.close();
  return { dataDir, expected, schemaVersion };
}

describe.each(VERSIONS)('a data directory of %s', (version) => {
  const { dataDir, expected, schemaVersion } = unpack(version);
  const daemons: TestDaemon[] = [];
  afterAll(async () => void (await Promise.all(daemons.map((daemon) => daemon.end('SIGKILL')))));

  const factories = [
    { name: 'theirs', source: { type: 'repository', url: '/nonexistent/repository' } },
    { name: 'rows', source: { type: 'live' } },
  ];
  const serve = async () => {
    // No token file is left, as after a restore.
    const { code } = await runCli(['token', 'reset', '--data-dir', dataDir]);
    const daemon = await startTestDaemon({ config: { factories }, dataDir });
    daemons.push(daemon);
    return { daemon, code };
  };

  it('is backed up offline without being migrated', async () => {
    const file = join(createTempDir('backup'), 'old.tar');
    const { code, stdout } = await runCli(['backup', file, '--data-dir', dataDir, '--json']);
    expect([code, JSON.parse(stdout).schema_version]).toEqual([0, schemaVersion]);
    expect((await runCli(['restore', file, '--verify-only'])).code).toBe(0);
    expect(readdirSync(dataDir).filter((name) => name.includes('before-v'))).toEqual([]);
  });

  it('is migrated after a backup, and keeps webhooks, secrets, deliveries, identities and runs', async () => {
    const { daemon, code } = await serve();
    expect(code).toBe(0);
    const backup = join(dataDir, `dockbell.db.before-v${MIGRATIONS.length}`);
    const db = new Database(backup, { readonly: true });
    expect(db.pragma('user_version', { simple: true })).toBe(schemaVersion);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    db.close();

    for (const { factory, name, uid, secret } of expected.webhooks) {
      const body = JSON.stringify({ from: name });
      const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
      const headers = {
        authorization: `Bearer ${secret}`,
        'x-hub-signature-256': signature,
        'x-github-delivery': name,
      };
      const answer = await fetch(`${daemon.ingressUrl}/webhooks/w/${uid}`, { method: 'POST', headers, body });
      expect([factory, name, answer.status]).toEqual([factory, name, 202]);
    }
    const ci = expected.webhooks.find(({ name }) => name === 'ci')!;
    const repeated = await fetch(`${daemon.ingressUrl}/webhooks/w/${ci.uid}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ci.secret}`, 'x-service-delivery-id': 'build-1' },
      body: '{"status":"passed","n":1}',
    });
    expect(repeated.status).toBe(202);
    const { body: listed } = await daemon.api(`/factories/theirs/webhooks/${ci.uid}/deliveries`);
    const labels = listed.data.map((one: { delivery_id: string; label: string }) => [one.delivery_id, one.label]);
    expect(labels.slice(2)).toEqual(expected.deliveries);
    expect(labels[0]).toEqual(['build-1', 'Duplicate']);
    const { body: runs } = await daemon.api('/factories/theirs/runs');
    expect(runs.data).toMatchObject(expected.runs);
    expect(await daemon.end('SIGTERM')).toBe(0);
  });

  it('is migrated by the start of the daemon, which logs the backup', { tags: 'full' }, async () => {
    const other = unpack(version);
    const daemon = await startTestDaemon({ config: { factories }, dataDir: other.dataDir });
    daemons.push(daemon);
    const migrated = daemon
      .output()
      .split('\n')
      .find((line) => line.includes('"database migrated"'));
    const backup = join(other.dataDir, `dockbell.db.before-v${MIGRATIONS.length}`);
    expect(JSON.parse(migrated!)).toMatchObject({ from: schemaVersion, to: MIGRATIONS.length, backup });
    expect(existsSync(backup)).toBe(true);
    expect(await daemon.end('SIGTERM')).toBe(0);
  });
});
