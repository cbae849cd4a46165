import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SecretValue } from '../../src/domain/secrets/secret-value.ts';
import { MasterKeyRotation } from '../../src/platform/secrets/master-key-rotation.ts';
import { createVault } from '../../src/platform/secrets/vault.ts';
import { verifyMasterKey } from '../../src/platform/secrets/verify-master-key.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/sqlite-storage.ts';
import { runUntilStep } from '../helpers/run-until-step.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

const OLD = Buffer.alloc(32, 1);
const NEW = Buffer.alloc(32, 2);
/** A step that no command reaches. */
const NO_KILL = 1_000_000;
const VALUES = ['value 1', 'value 2', 'value 3'];

async function createDataDir(): Promise<string> {
  const dataDir = createTempDir('rotate-kill');
  const vault = createVault(OLD);
  const storage = openSqliteStorage(join(dataDir, 'dockbell.db'));
  await verifyMasterKey(storage.sealedSecrets, vault);
  for (const [index, value] of VALUES.entries()) {
    const version = index + 1;
    const sealed = vault.seal('API_KEY', version, new SecretValue(value));
    await storage.sealedSecrets.insert({ name: 'API_KEY', version, sealed, createdAt: version, createdBy: null });
  }
  storage.close();
  return dataDir;
}

/** Runs the command without a daemon, and kills it at the step. Returns whether it ended before that. */
function rotateUntil(
  step: number,
  dataDir: string,
  env: Record<string, string>,
  options: string[] = [],
): Promise<boolean> {
  const newKeyFile = join(createTempDir('new-key'), 'new.key');
  writeFileSync(newKeyFile, `${NEW.toString('base64')}\n`, { mode: 0o600 });
  return runUntilStep(step, ['key', 'rotate', '--new-key-file', newKeyFile, '--data-dir', dataDir, ...options], env);
}

/** What a daemon reads that starts with this key and continues what has begun. `environment`: where the key is. */
async function startDaemonWith(key: Uint8Array, dataDir: string, environment: boolean) {
  const storage = openSqliteStorage(join(dataDir, 'dockbell.db'));
  try {
    const table = storage.sealedSecrets;
    const place = async (next: Uint8Array) => {
      if (environment) return { placed: Buffer.from(next).equals(key), earlierKeyFile: null };
      writeFileSync(join(dataDir, 'master.key'), `${Buffer.from(next).toString('base64')}\n`);
      return { placed: true, earlierKeyFile: null };
    };
    const rotation = await MasterKeyRotation.open({ table, place }, key);
    const { state } = await rotation.resume();
    const versions = (await table.versions('API_KEY', 9)).reverse();
    return { state, values: versions.map((version) => rotation.ring.open(version).reveal()) };
  } finally {
    storage.close();
  }
}

it('a command that is killed at any step leaves a key in the environment usable until it is changed', async () => {
  let step = 1;
  for (let isComplete = false; !isComplete; step++) {
    const dataDir = await createDataDir();
    isComplete = await rotateUntil(step, dataDir, { DOCKBELL_MASTER_KEY: OLD.toString('base64') });
    const earlier = await startDaemonWith(OLD, dataDir, true);
    expect(earlier.values, `with the earlier key, after a kill at step ${step}`).toEqual(VALUES);
    if (earlier.state === 'done') continue;
    expect(await startDaemonWith(NEW, dataDir, true)).toEqual({ state: 'done', values: VALUES });
    await expect(startDaemonWith(OLD, dataDir, true)).rejects.toMatchObject({ code: 'master_key_wrong' });
  }
  expect(step).toBeGreaterThan(6);
});

it('a command that is killed at any step leaves a key file with which the daemon starts, and no copy of the key', async () => {
  let step = 1;
  let drafts = 0;
  for (let isComplete = false; !isComplete; step++) {
    const dataDir = await createDataDir();
    const keyFolder = createTempDir('keys');
    const keyFile = join(keyFolder, 'master.key');
    const listDrafts = () => readdirSync(keyFolder).filter((name) => name.endsWith('.tmp'));
    writeFileSync(keyFile, `${OLD.toString('base64')}\n`, { mode: 0o600 });
    const options = ['--key-file', keyFile];
    isComplete = await rotateUntil(step, dataDir, {}, options);
    drafts += listDrafts().length;
    const present = new Uint8Array(Buffer.from(readFileSync(keyFile, 'utf8'), 'base64'));
    const started = await startDaemonWith(present, dataDir, false);
    expect(started, `after a kill at step ${step}`).toEqual({ state: 'done', values: VALUES });
    expect(await rotateUntil(NO_KILL, dataDir, {}, options)).toBe(true);
    expect(listDrafts(), `after a kill at step ${step}`).toEqual([]);
  }
  expect(step).toBeGreaterThan(6);
  expect(drafts, 'kills that left a copy of the key').toBeGreaterThan(0);
});
