import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { SecretValue } from '../../src/domain/secrets/secret-value.ts';
import { createAnswerStore } from '../../src/platform/secrets/answer-store.ts';
import { MasterKeyRotation } from '../../src/platform/secrets/master-key-rotation.ts';
import { createVault } from '../../src/platform/secrets/vault.ts';
import { verifyMasterKey } from '../../src/platform/secrets/verify-master-key.ts';
import { lockDataDir } from '../../src/storage/data-dir-lock.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { createDatabaseFile } from '../helpers/new-database.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

const OLD = Buffer.alloc(32, 1);
const NEW = Buffer.alloc(32, 2);
const ANSWER = { key: Uint8Array.of(7), fingerprint: Uint8Array.of(8), text: '{"secret": "dbs_once"}' };
const clock = { wallMs: () => 1_800_000_000_000, monotonicMs: () => 0 };

const ALL = { limit: 10, cursor: null, actor: null, object: null, outcome: null };

const umask = process.umask();
let dataDir: string;
let newKeyFile: string;
const keyFile = () => join(dataDir, 'master.key');

/** A data directory with two versions of a secret and a kept answer, sealed under the old key. */
beforeEach(async () => {
  dataDir = createTempDir('rotate');
  newKeyFile = join(createTempDir('new-key'), 'new.key');
  writeFileSync(keyFile(), `${OLD.toString('base64')}\n`, { mode: 0o600 });
  writeFileSync(newKeyFile, `${NEW.toString('base64')}\n`, { mode: 0o600 });
  const vault = createVault(OLD);
  const file = join(dataDir, 'dockbell.db');
  createDatabaseFile(file);
  const storage = openSqliteStorage(file);
  await verifyMasterKey(storage.sealedSecrets, vault);
  for (const version of [1, 2]) {
    const sealed = vault.seal('API_KEY', version, new SecretValue(`value ${version}`));
    await storage.sealedSecrets.insert({ name: 'API_KEY', version, sealed, createdAt: version, createdBy: null });
  }
  const answers = createAnswerStore({ table: storage.keptAnswers, vault, clock });
  await answers.keep(ANSWER.key, ANSWER.fingerprint, ANSWER.text);
  storage.close();
});
afterAll(() => void process.umask(umask));

const rotate = (...more: string[]) =>
  runCli(['key', 'rotate', '--new-key-file', newKeyFile, '--data-dir', dataDir, ...more]);

/** Everything that opens under that key; throws where the key is not the one that sealed what is stored. */
async function openAll(key: Uint8Array) {
  const vault = createVault(key);
  const storage = openSqliteStorage(join(dataDir, 'dockbell.db'));
  try {
    await verifyMasterKey(storage.sealedSecrets, vault);
    const secrets = (await storage.sealedSecrets.versions('API_KEY', 9)).reverse();
    const answers = createAnswerStore({ table: storage.keptAnswers, vault, clock });
    return {
      values: secrets.map((secret) => vault.open(secret).reveal()),
      answer: await answers.find(ANSWER.key, ANSWER.fingerprint),
      audited: (await storage.auditLog.list(ALL)).data.map(({ route }) => route),
    };
  } finally {
    storage.close();
  }
}

/** What a daemon that starts with this key reads. Throws if it does not start. */
async function readAsDaemon(key: Buffer) {
  const storage = openSqliteStorage(join(dataDir, 'dockbell.db'));
  try {
    const table = storage.sealedSecrets;
    const place = async () => ({ placed: false, earlierKeyFile: null });
    const { ring, isPending } = await MasterKeyRotation.open({ table, place }, key);
    const versions = (await table.versions('API_KEY', 9)).reverse();
    return { values: versions.map((version) => ring.open(version).reveal()), isPending };
  } finally {
    storage.close();
  }
}

const WHOLE = { values: ['value 1', 'value 2'], answer: { kind: 'found', text: ANSWER.text } };

describe('key rotate', () => {
  it('encrypts every version and stored answer with the new key, replaces the key file and keeps the earlier key', async () => {
    const { code, stdout, stderr } = await rotate();
    expect([code, stdout]).toEqual([0, expect.stringContaining('Encrypted 3 stored values')]);
    expect(await openAll(NEW)).toEqual({ ...WHOLE, audited: ['dockbell key rotate'] });
    await expect(openAll(OLD)).rejects.toMatchObject({ code: 'master_key_wrong' });
    expect(readFileSync(keyFile(), 'utf8').trim()).toBe(NEW.toString('base64'));
    const [earlier] = readdirSync(dataDir).filter((name) => name.startsWith('master.key.until-'));
    expect(readFileSync(join(dataDir, earlier!), 'utf8').trim()).toBe(OLD.toString('base64'));
    expect(stdout).toContain(join(dataDir, earlier!));
    for (const key of [OLD, NEW]) expect(stdout + stderr).not.toContain(key.toString('base64'));
  });

  it('is completed by a second run if it was interrupted before the key file was replaced', async () => {
    await rotate();
    for (const name of readdirSync(dataDir)) if (name.includes('.until-')) rmSync(join(dataDir, name));
    writeFileSync(keyFile(), `${OLD.toString('base64')}\n`, { mode: 0o600 });
    const { code, stdout } = await rotate();
    expect([code, stdout]).toEqual([0, expect.stringContaining('already encrypted with this key')]);
    expect(readFileSync(keyFile(), 'utf8').trim()).toBe(NEW.toString('base64'));
    expect(await openAll(NEW)).toMatchObject(WHOLE);
  });

  it('removes copies of the key that a killed rotation left next to its file, outside of the data directory too', async () => {
    const folder = createTempDir('keys');
    const elsewhere = join(folder, 'master.key');
    const others = ['master.key.bak', 'other.key.0123456789abcdef.tmp'];
    for (const name of ['master.key', 'master.key.0123456789abcdef.tmp', ...others]) {
      writeFileSync(join(folder, name), `${OLD.toString('base64')}\n`, { mode: 0o600 });
    }
    expect(await rotate('--key-file', elsewhere)).toMatchObject({ code: 0 });
    const kept = readdirSync(folder).filter((name) => !name.includes('.until-'));
    expect(kept.sort()).toEqual(['master.key', ...others]);
  });

  it('needs both keys until the environment has the new one, and then ends', async () => {
    rmSync(keyFile());
    const rotateWith = (key: Buffer) =>
      runCli(['key', 'rotate', '--new-key-file', newKeyFile, '--data-dir', dataDir], {
        env: { DOCKBELL_MASTER_KEY: key.toString('base64') },
      });
    const first = await rotateWith(OLD);
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('Encrypted 3 stored values') });
    expect(first.stderr).toContain(`Set DOCKBELL_MASTER_KEY to the content of ${newKeyFile} and start the daemon.`);
    expect(first.stderr).toContain('Until that start, the daemon also starts with the earlier key.');
    expect(await rotateWith(OLD)).toMatchObject({ code: 0, stdout: expect.stringContaining('already encrypted') });
    expect(await readAsDaemon(OLD)).toEqual({ values: WHOLE.values, isPending: true });
    expect(await readAsDaemon(NEW)).toEqual({ values: WHOLE.values, isPending: true });

    const last = await rotateWith(NEW);
    expect(last).toMatchObject({ code: 0, stderr: expect.stringContaining('Start the daemon, then remove') });
    await expect(readAsDaemon(OLD)).rejects.toMatchObject({ code: 'master_key_wrong' });
    expect(await readAsDaemon(NEW)).toEqual({ values: WHOLE.values, isPending: false });
    expect(await openAll(NEW)).toMatchObject(WHOLE);
    expect(readdirSync(dataDir).filter((name) => name.startsWith('master.key'))).toEqual([]);
    for (const key of [OLD, NEW]) {
      expect(first.stdout + first.stderr + last.stdout + last.stderr).not.toContain(key.toString('base64'));
    }
  });

  it('changes nothing with a wrong current key, a new key that is missing or malformed, or a running daemon', async () => {
    const wrong = join(createTempDir('wrong'), 'wrong.key');
    writeFileSync(wrong, `${Buffer.alloc(32, 3).toString('base64')}\n`, { mode: 0o600 });
    const database = () => readFileSync(join(dataDir, 'dockbell.db'));
    const before = database();
    expect(await rotate('--key-file', wrong)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not the one'),
    });
    expect(database().equals(before)).toBe(true);
    const lock = lockDataDir(dataDir);
    expect(await rotate()).toMatchObject({ code: 2, stderr: expect.stringContaining('in use by another Dockbell') });
    lock.release();
    writeFileSync(newKeyFile, 'AAAA');
    expect(await rotate()).toMatchObject({ code: 2, stderr: expect.stringContaining('has 3 bytes') });
    rmSync(newKeyFile);
    expect(await rotate()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`There is no file ${newKeyFile}`),
    });
    expect(await openAll(OLD)).toEqual({ ...WHOLE, audited: [] });
    expect(readFileSync(keyFile(), 'utf8').trim()).toBe(OLD.toString('base64'));
  });

  it('stores nothing if a value cannot be decrypted', async () => {
    const storage = openSqliteStorage(join(dataDir, 'dockbell.db'));
    await storage.sealedSecrets.insert({
      name: 'BROKEN',
      version: 1,
      sealed: new Uint8Array(200),
      createdAt: 1,
      createdBy: null,
    });
    storage.close();
    expect(await rotate()).toMatchObject({ code: 2, stderr: expect.stringContaining('BROKEN') });
    expect(readFileSync(keyFile(), 'utf8').trim()).toBe(OLD.toString('base64'));
  });
});
