import { randomBytes } from 'node:crypto';
import { link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError, messageOf } from '../core/errors.ts';
import { MASTER_KEY_VARIABLE } from '../core/reserved-variables.ts';
import { makeFolder } from '../files/make-folder.ts';
import { syncFolder } from '../files/sync-folder.ts';
import { writeSynced } from '../files/write-durably.ts';
import { MASTER_KEY_BYTES } from './vault.ts';

const OTHERS_OR_GROUP_WRITE = 0o027;
const GROUP_READ = 0o040;
const HOW_TO_MAKE_ONE = 'Make one with "openssl rand -base64 32".';

export interface MasterKeyRequest {
  /** Absolute path of the key file. */
  masterKeyFile: string;
  /** The value of `DOCKBELL_MASTER_KEY`; `undefined` where it is not set. */
  environmentValue: string | undefined;
  /** Make a new key where there is none. Only for a data directory that holds no sealed value yet. */
  createIfMissing: boolean;
}

export interface MasterKey {
  key: Uint8Array;
  origin: 'environment' | 'file' | 'created';
  /** One sentence for the log where something about the key is unwise; `null` otherwise. */
  warning: string | null;
}

/** Finds or makes the master key. Throws `config_invalid` for a key that is missing, malformed or open to others. */
export async function loadMasterKey(request: MasterKeyRequest): Promise<MasterKey> {
  if (request.environmentValue !== undefined) {
    const key = decodeKey(request.environmentValue, `The environment variable ${MASTER_KEY_VARIABLE}`);
    return { key, origin: 'environment', warning: null };
  }
  const found = await readKeyFile(request.masterKeyFile);
  if (found !== null) return found;
  if (!request.createIfMissing) throw missingKey(request.masterKeyFile);
  return createKeyFile(request.masterKeyFile);
}

/** The key in a file; `null` where there is none. Throws as `loadMasterKey`. */
export async function readKeyFile(path: string): Promise<MasterKey | null> {
  const found = await readIfPresent(path);
  if (found === null) return null;
  refuseOpenToOthers(path, found.mode);
  const key = decodeKey(found.text, `The master key file ${path}`);
  return { key, origin: 'file', warning: warnAboutGroup(path, found.mode) };
}

async function readIfPresent(path: string): Promise<{ text: string; mode: number } | null> {
  try {
    return await readWithMode(path);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    const message = `The master key file ${path} cannot be read: ${messageOf(error)}`;
    throw new AppError('config_invalid', message, { cause: error });
  }
}

/** Mode and text of one and the same file, also when another takes its name in between. */
async function readWithMode(path: string): Promise<{ text: string; mode: number }> {
  const file = await open(path, 'r');
  try {
    const { mode } = await file.stat();
    return { text: await file.readFile('utf8'), mode };
  } finally {
    await file.close();
  }
}

/** Who can read the key can read every secret; who can write it can lock the team out of them. */
function refuseOpenToOthers(path: string, mode: number): void {
  if ((mode & OTHERS_OR_GROUP_WRITE) === 0) return;
  const message = `The master key file ${path} is open to other users (mode ${octal(mode)}). Run: chmod 600 ${path}`;
  throw new AppError('config_invalid', message);
}

/** Readable by its group is how containers are handed mounted secrets, so it is allowed, and said. */
function warnAboutGroup(path: string, mode: number): string | null {
  return (mode & GROUP_READ) === 0
    ? null
    : `The master key file ${path} is readable by its group (mode ${octal(mode)}).`;
}

async function createKeyFile(path: string): Promise<MasterKey> {
  const key = new Uint8Array(randomBytes(MASTER_KEY_BYTES));
  try {
    await makeFolder(dirname(path), { mode: 0o700 });
    if (await writeExclusively(path, `${Buffer.from(key).toString('base64')}\n`)) {
      return { key, origin: 'created', warning: null };
    }
  } catch (error) {
    throw new AppError('config_invalid', `The master key file ${path} cannot be made: ${messageOf(error)}`, {
      cause: error,
    });
  }
  // Somebody made it in this very moment: theirs counts.
  return (await readKeyFile(path)) ?? Promise.reject(missingKey(path));
}

/**
 * `false` where the file exists. The file appears under its name only when it is whole and on disk: half a key that a
 * crash left behind would look like a wrong one for ever.
 */
async function writeExclusively(path: string, text: string): Promise<boolean> {
  const draft = `${path}.${randomBytes(8).toString('hex')}.tmp`;
  try {
    await writeSynced(draft, text);
    await link(draft, path);
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dirname(path));
  return true;
}

/** Strict base64: a key that was cut or mistyped must not decode to some other key. Never quotes what it was given. */
function decodeKey(text: string, where: string): Uint8Array {
  const trimmed = text.trim();
  if (trimmed === '') throw new AppError('config_invalid', `${where} is empty. ${HOW_TO_MAKE_ONE}`);
  const bytes = Buffer.from(trimmed, 'base64');
  if (bytes.toString('base64').replace(/=+$/, '') !== trimmed.replace(/=+$/, '')) {
    throw new AppError('config_invalid', `${where} is not base64. ${HOW_TO_MAKE_ONE}`);
  }
  if (bytes.byteLength !== MASTER_KEY_BYTES) {
    const message = `${where} holds ${bytes.byteLength} bytes, a master key has ${MASTER_KEY_BYTES}. ${HOW_TO_MAKE_ONE}`;
    throw new AppError('config_invalid', message);
  }
  return new Uint8Array(bytes);
}

function missingKey(path: string): AppError {
  const message =
    `The master key is missing: there is no file ${path}, and ${MASTER_KEY_VARIABLE} is not set. ` +
    'Put the key back that sealed the team secrets in this data directory; a new one cannot open them.';
  return new AppError('config_invalid', message);
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
