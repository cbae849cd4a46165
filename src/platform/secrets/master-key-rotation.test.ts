import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useFolder } from '../../../test/helpers/with-storage.ts';
import type { ResealableSecretTable } from '../../domain/ports/secret-store.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import { openSqliteStorage } from '../../storage/sqlite/sqlite-storage.ts';
import { createAnswerStore } from './answer-store.ts';
import { MasterKeyRotation, type PlaceKey } from './master-key-rotation.ts';
import { createVault } from './vault.ts';

const OLD = new Uint8Array(32).fill(1);
const NEW = new Uint8Array(32).fill(2);
const THIRD = new Uint8Array(32).fill(3);
/** More than one transaction replaces. */
const VERSIONS = 450;
const ANSWER = { key: Uint8Array.of(7), fingerprint: Uint8Array.of(8), text: 'an answer' };
const clock = { wallMs: () => 1_800_000_000_000, monotonicMs: () => 0 };

const folder = useFolder();
const file = () => join(folder.path, 'dockbell.db');
const open = () => openSqliteStorage(file());
const never: PlaceKey = async () => ({ placed: false, earlierKeyFile: null });

class Killed extends Error {}

/** Ends at the given step, before or after it took effect, as a process that is killed does. */
function killAt(table: ResealableSecretTable, step: number, isAfter: boolean) {
  let steps = 0;
  const count = async <T>(work: () => Promise<T>): Promise<T> => {
    const isLast = ++steps === step;
    if (steps > step || (isLast && !isAfter)) throw new Killed();
    const done = await work();
    if (isLast) throw new Killed();
    return done;
  };
  const killing: ResealableSecretTable = {
    ...table,
    beginRotation: (record) => count(() => table.beginRotation(record)),
    replaceSealed: (values) => count(() => table.replaceSealed(values)),
    endRotation: (check) => count(() => table.endRotation(check)),
  };
  return { killing, count };
}

/** The database that every test starts with. It is filled once. */
let filled: Buffer | undefined;

async function fill(): Promise<void> {
  if (filled === undefined) {
    await fillFile();
    filled = readFileSync(file());
  } else writeFileSync(file(), filled);
}

async function fillFile(): Promise<void> {
  const storage = open();
  const vault = (await MasterKeyRotation.open({ table: storage.sealedSecrets, place: never }, OLD)).ring;
  for (let version = 1; version <= VERSIONS; version++) {
    const sealed = vault.seal('KEY', version, new SecretValue(`value ${version}`));
    await storage.sealedSecrets.insert({ name: 'KEY', version, sealed, createdAt: version, createdBy: null });
  }
  const answers = createAnswerStore({ table: storage.keptAnswers, vault, clock });
  await answers.keep(ANSWER.key, ANSWER.fingerprint, ANSWER.text);
  storage.close();
}

/** Opens every value as a daemon with this key does, then continues what was begun. */
async function startWith(key: Uint8Array, place: PlaceKey) {
  const storage = open();
  const rotation = await MasterKeyRotation.open({ table: storage.sealedSecrets, place }, key);
  const readable = async () => {
    const rows = await storage.sealedSecrets.versions('KEY', VERSIONS);
    const values = rows.map((row) => rotation.ring.open(row).reveal());
    expect(values.toReversed()).toEqual(Array.from({ length: VERSIONS }, (_, index) => `value ${index + 1}`));
    const answers = createAnswerStore({ table: storage.keptAnswers, vault: rotation.ring, clock });
    expect(await answers.find(ANSWER.key, ANSWER.fingerprint)).toMatchObject({ text: ANSWER.text });
  };
  await readable();
  const outcome = await rotation.resume();
  await readable();
  storage.close();
  return outcome;
}

/** Is every value sealed under this key, and does the other one open nothing? */
async function expectOnly(key: Uint8Array, other: Uint8Array): Promise<void> {
  const storage = open();
  const table = storage.sealedSecrets;
  expect(await table.sealedElsewhere(createVault(key).keyId(), { skip: 0, limit: 9 })).toEqual([]);
  expect(await table.rotation()).toBeNull();
  await expect(MasterKeyRotation.open({ table, place: never }, other)).rejects.toMatchObject({
    code: 'master_key_wrong',
  });
  storage.close();
}

// Begin, three pieces, the key file, end. A kill before a step leaves the same as one after the step before it.
const STEPS = [{ step: 1, isAfter: false }, ...[1, 2, 3, 4, 5, 6].map((step) => ({ step, isAfter: true }))];

it.each(STEPS)(
  'a kill at step $step (after it: $isAfter) leaves all values readable, and the next start completes',
  async (kill) => {
    await fill();
    let keyFile: Uint8Array = OLD;
    const place: PlaceKey = async (key) => {
      keyFile = key;
      return { placed: true, earlierKeyFile: null };
    };
    const storage = open();
    const { killing, count } = killAt(storage.sealedSecrets, kill.step, kill.isAfter);
    const parts = { table: killing, place: (key: Uint8Array) => count(() => place(key)) };
    const rotation = await MasterKeyRotation.open(parts, keyFile);
    await expect(rotation.rotate(NEW)).rejects.toBeInstanceOf(Killed);
    storage.close();

    expect((await startWith(keyFile, place)).state).toBe('done');
    const hasBegun = kill.step > 1 || kill.isAfter;
    expect(keyFile).toEqual(hasBegun ? NEW : OLD);
    await (hasBegun ? expectOnly(NEW, OLD) : expectOnly(OLD, NEW));
  },
);

/** The operator has not changed the environment yet: steps are begin, three pieces, and finding the earlier key there. */
it.each(STEPS.filter(({ step }) => step <= 5))(
  'a kill at step $step (after it: $isAfter) leaves all values readable with the key of the environment, until it is changed',
  async (kill) => {
    await fill();
    const has =
      (present: Uint8Array): PlaceKey =>
      async (key) => ({ placed: Buffer.from(key).equals(present), earlierKeyFile: null });
    const storage = open();
    const { killing, count } = killAt(storage.sealedSecrets, kill.step, kill.isAfter);
    const parts = { table: killing, place: (key: Uint8Array) => count(() => has(OLD)(key)) };
    const rotation = await MasterKeyRotation.open(parts, OLD);
    await expect(rotation.rotate(NEW)).rejects.toBeInstanceOf(Killed);
    storage.close();

    const hasBegun = kill.step > 1 || kill.isAfter;
    for (let start = 1; start <= 2; start++) {
      expect((await startWith(OLD, has(OLD))).state).toBe(hasBegun ? 'waiting' : 'done');
    }
    if (!hasBegun) return expectOnly(OLD, NEW);
    expect((await startWith(NEW, has(NEW))).state).toBe('done');
    await expectOnly(NEW, OLD);
  },
);

it('a key that only the operator can replace works until then, with either key, and no third one begins', async () => {
  await fill();
  expect((await startWith(OLD, never)).state).toBe('done');
  const storage = open();
  const rotation = await MasterKeyRotation.open({ table: storage.sealedSecrets, place: never }, OLD);
  expect(await rotation.rotate(NEW)).toMatchObject({ state: 'waiting', resealed: VERSIONS + 1 });
  expect(await rotation.rotate(NEW)).toMatchObject({ state: 'waiting', resealed: 0 });
  await expect(rotation.rotate(THIRD)).rejects.toMatchObject({ code: 'conflict' });
  storage.close();
  expect((await startWith(OLD, never)).state).toBe('waiting');
  const has =
    (wanted: Uint8Array): PlaceKey =>
    async (key) => ({ placed: Buffer.from(key).equals(wanted), earlierKeyFile: null });
  expect((await startWith(NEW, has(NEW))).state).toBe('done');
  await expectOnly(NEW, OLD);
});

it('a value that was stored during the change is readable, and sealed under the new key at the end', async () => {
  await fill();
  const storage = open();
  const table = storage.sealedSecrets;
  let isFirst = true;
  const busy: ResealableSecretTable = {
    ...table,
    replaceSealed: async (values) => {
      if (isFirst) {
        isFirst = false;
        const sealed = rotation.ring.seal('LATE', 1, new SecretValue('late'));
        await table.insert({ name: 'LATE', version: 1, sealed, createdAt: 1, createdBy: null });
      }
      await table.replaceSealed(values);
    },
  };
  const place: PlaceKey = async () => ({ placed: true, earlierKeyFile: null });
  const rotation = await MasterKeyRotation.open({ table: busy, place }, OLD);
  await rotation.rotate(NEW);
  expect(
    createVault(NEW)
      .open((await table.get('LATE', 1))!)
      .reveal(),
  ).toBe('late');
  storage.close();
  await expectOnly(NEW, OLD);
});
