import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError, messageOf } from '../../domain/errors.ts';
import { MASTER_KEY_VARIABLE } from '../../domain/runs/reserved-variables.ts';
import { makeFolder } from '../files/make-folder.ts';
import { removeDraftsOf, syncFolder, writeSynced } from '../files/write-durably.ts';
import { MASTER_KEY_BYTES } from './vault.ts';

const OTHERS_OR_GROUP_WRITE = 0o027;
const GROUP_READ = 0o040;
const HOW_TO_MAKE_ONE = 'Create one with "openssl rand -base64 32".';

export interface MasterKeyRequest {
  /** Absolute path of the key file. */
  masterKeyFile: string;
  /** The value of `DOCKBELL_MASTER_KEY`; `undefined` if it is not set. */
  environmentValue: string | undefined;
  /** Creates a new key if none exists. Only for a data directory without sealed values. */
  createIfMissing: boolean;
}

interface MasterKey {
  key: Uint8Array;
  origin: 'environment' | 'file' | 'created';
  /** One sentence for the log about a risk of the key; `null` if there is none. */
  warning: string | null;
}

/** Loads or creates the master key. Throws `config_invalid` for a key that is missing, malformed or accessible to others. */
export async function loadMasterKey(request: MasterKeyRequest): Promise<MasterKey> {
  if (request.environmentValue !== undefined) {
    const key = decodeKey(request.environmentValue, `The environment variable ${MASTER_KEY_VARIABLE}`);
    return { key, origin: 'environment', warning: null };
  }
  const found = await readKeyFile(request.masterKeyFile);
  if (request.createIfMissing) return createUnlessFound(request.masterKeyFile, found);
  return found ?? Promise.reject(missingKey(request.masterKeyFile));
}

/** An earlier first start that was killed may have left its temporary file, which can hold the key. */
async function createUnlessFound(path: string, found: MasterKey | null): Promise<MasterKey> {
  const loaded = found ?? (await createKeyFile(path));
  const leftover = await removeLeftDrafts(path);
  return { ...loaded, warning: loaded.warning ?? leftover };
}

/** Returns a warning if that is not possible, for example in a folder that is mounted read-only. */
async function removeLeftDrafts(path: string): Promise<string | null> {
  try {
    await removeDraftsOf(path);
    return null;
  } catch (error) {
    return `Temporary files of the master key file ${path} cannot be removed: ${messageOf(error)}`;
  }
}

/** The present key as a key file contains it. Throws as `loadMasterKey`. */
export async function readMasterKeyText(request: Omit<MasterKeyRequest, 'createIfMissing'>): Promise<string> {
  const { masterKeyFile, environmentValue } = request;
  return formatKey((await loadMasterKey({ masterKeyFile, environmentValue, createIfMissing: false })).key);
}

/** The key in a file; `null` if the file does not exist. Throws as `loadMasterKey`. */
export async function readKeyFile(path: string): Promise<MasterKey | null> {
  const found = await readIfPresent(path);
  if (found === null) return null;
  rejectOpenToOthers(path, found.mode);
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

/** Mode and text of the same file, even if another file gets its name in between. */
async function readWithMode(path: string): Promise<{ text: string; mode: number }> {
  const file = await open(path, 'r');
  try {
    const { mode } = await file.stat();
    return { text: await file.readFile('utf8'), mode };
  } finally {
    await file.close();
  }
}

/** Read access to the key gives access to all secrets; write access can make them unusable. */
function rejectOpenToOthers(path: string, mode: number): void {
  if ((mode & OTHERS_OR_GROUP_WRITE) === 0) return;
  const message = `The master key file ${path} is open to other users (mode ${octal(mode)}). Run: chmod 600 ${path}`;
  throw new AppError('config_invalid', message);
}

/** Containers get mounted secrets readable by their group, so this is allowed with a warning. */
function warnAboutGroup(path: string, mode: number): string | null {
  return (mode & GROUP_READ) === 0
    ? null
    : `The master key file ${path} is readable by its group (mode ${octal(mode)}).`;
}

async function createKeyFile(path: string): Promise<MasterKey> {
  const key = new Uint8Array(randomBytes(MASTER_KEY_BYTES));
  try {
    await makeFolder(dirname(path), { mode: 0o700 });
    if (await writeExclusively(path, formatKey(key))) {
      return { key, origin: 'created', warning: null };
    }
  } catch (error) {
    throw new AppError('config_invalid', `The master key file ${path} cannot be created: ${messageOf(error)}`, {
      cause: error,
    });
  }
  // Another process created the file meanwhile: use that key.
  return (await readKeyFile(path)) ?? Promise.reject(missingKey(path));
}

/**
 * Resolves with `false` if another process created the file. The file gets its name only when it is complete and on disk:
 * after a crash, a partial key would look like a wrong one.
 */
async function writeExclusively(path: string, text: string): Promise<boolean> {
  const draft = `${path}.${randomBytes(8).toString('hex')}.tmp`;
  try {
    await writeSynced(draft, text);
    await link(draft, path);
  } catch (error) {
    // The process that created the file has also removed the drafts of all others.
    if (isCode(error, 'EEXIST') || (isCode(error, 'ENOENT') && existsSync(path))) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dirname(path));
  return true;
}

/** Strict base64: a truncated or mistyped key must not decode to another key. Messages never contain the text. */
function decodeKey(text: string, where: string): Uint8Array {
  const trimmed = text.trim();
  if (trimmed === '') throw new AppError('config_invalid', `${where} is empty. ${HOW_TO_MAKE_ONE}`);
  const bytes = Buffer.from(trimmed, 'base64');
  if (bytes.toString('base64').replace(/=+$/, '') !== trimmed.replace(/=+$/, '')) {
    throw new AppError('config_invalid', `${where} is not base64. ${HOW_TO_MAKE_ONE}`);
  }
  if (bytes.byteLength !== MASTER_KEY_BYTES) {
    const message = `${where} has ${bytes.byteLength} bytes; a master key has ${MASTER_KEY_BYTES}. ${HOW_TO_MAKE_ONE}`;
    throw new AppError('config_invalid', message);
  }
  return new Uint8Array(bytes);
}

function formatKey(key: Uint8Array): string {
  return `${Buffer.from(key).toString('base64')}\n`;
}

function missingKey(path: string): AppError {
  const message =
    `The master key is missing: the file ${path} does not exist, and ${MASTER_KEY_VARIABLE} is not set. ` +
    'Restore the key that encrypted the team secrets in this data directory; a new one cannot decrypt them.';
  return new AppError('config_invalid', message);
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
