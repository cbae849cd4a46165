import { AppError } from '../core/errors.ts';
import type {
  SealedSecret,
  SealedSecretTable,
  SecretHistory,
  SecretStore,
  SecretVersion,
  StoredSecretSummary,
} from '../core/ports/secret-store.ts';
import type { SecretSummary } from '../core/resources/secret.ts';
import type { SecretValue } from '../core/secret-value.ts';
import type { Clock } from '../core/time/clock.ts';
import { TaskQueue } from '../core/time/task-queue.ts';
import { SECRET_NAME_PATTERN } from '../words/names.ts';
import type { Redactor } from './redactor.ts';
import type { Vault } from './vault.ts';

/** The longest value a secret may have, in bytes of UTF-8: 64 KiB, room for any key or certificate chain. */
export const MAX_SECRET_BYTES = 65_536;

export interface SecretStoreDependencies {
  table: SealedSecretTable;
  vault: Vault;
  clock: Clock;
  /** Gets every value, so that the log masks it from then on. */
  redactor: Redactor;
  /** The targets of `notify` of all configured factories, with the secret that each names. */
  notifyTargets: readonly NamingTarget[];
}

/** A target of `notify` in the configuration that uses a secret. */
export interface NamingTarget {
  factory: string;
  type: string;
  secretName: string;
}

type PutMode = Parameters<SecretStore['put']>[2];

/** The encrypted team store over a table of sealed values. */
export function createSecretStore(parts: SecretStoreDependencies): SecretStore & SecretHistory {
  const { table, vault, clock, redactor, notifyTargets } = parts;
  const openSealed = (sealed: SealedSecret): SecretValue => {
    const value = vault.open(sealed);
    redactor.add(value);
    return value;
  };
  const openReadable = (sealed: SealedSecret): SecretVersion[] => {
    const { name: _, sealed: __, ...version } = sealed;
    try {
      return [{ ...version, value: openSealed(sealed) }];
    } catch {
      return [];
    }
  };
  const insertNext = async (name: string, value: SecretValue, mode: PutMode, createdBy: string | null) => {
    const existing = await table.newest(name);
    rejectWrongMode(name, existing !== null, mode);
    const version = (await table.lastVersion(name)) + 1;
    await table.insert({
      name,
      version,
      sealed: vault.seal(name, version, value),
      createdAt: clock.wallMs(),
      createdBy,
    });
    return { created: existing === null, version };
  };
  // This process is the only writer. Sequential, so that no version is used between the read and the insert.
  const puts = new TaskQueue();
  const addTargets = (secret: StoredSecretSummary): SecretSummary => {
    return { ...secret, notify: listTargets(notifyTargets, secret.name) };
  };
  const find = async (name: string) => {
    const found = await table.find(name);
    return found === null ? null : addTargets(found);
  };
  return {
    put: async (name, value, mode, by = null) => {
      checkName(name);
      checkValue(name, value);
      redactor.add(value);
      return puts.run(() => insertNext(name, value, mode, by));
    },
    delete: async (name, { force, by = null }) => {
      if (!force) rejectWhileUsed(name, await find(name));
      if (!(await table.delete(name, { at: clock.wallMs(), name: by }))) throw unknownSecret(name);
    },
    list: async () => (await table.list()).map(addTargets),
    find,
    resolve: async (name) => {
      const newest = await table.newest(name);
      return newest === null ? null : { version: newest.version, value: openSealed(newest) };
    },
    open: async (name, version) => {
      const pinned = await table.get(name, version);
      return pinned === null ? null : openSealed(pinned);
    },
    versions: async (name, limit) => (await table.versions(name, limit)).flatMap(openReadable),
  };
}

function rejectWrongMode(name: string, exists: boolean, mode: PutMode): void {
  if (mode === 'create' && exists) {
    throw new AppError('conflict', `The secret ${name} already exists. Use "dockbell secret update ${name}".`);
  }
  if (mode === 'update' && !exists) throw unknownSecret(name);
}

/** Several targets of one factory and type are one use. */
function listTargets(targets: readonly NamingTarget[], secretName: string): SecretSummary['notify'] {
  const uses = targets.filter((target) => target.secretName === secretName);
  const keyed = new Map(uses.map(({ factory, type }) => [`${factory} ${type}`, { factory, type }]));
  return [...keyed.values()];
}

function rejectWhileUsed(name: string, secret: SecretSummary | null): void {
  const users = [
    ...(secret?.usedBy ?? []).map(({ factory, webhook }) => `${factory}/${webhook}`),
    ...(secret?.listedBy ?? []).map(({ factory, automation }) => `${factory}/${automation} (automation)`),
    ...(secret?.notify ?? []).map(({ factory, type }) => `${factory}/${type} (notify)`),
  ];
  if (users.length === 0) return;
  const message = `The secret ${name} is used by ${[...new Set(users)].join(', ')}. Configure another secret there first, or delete it with --force (API: ?force=true).`;
  throw new AppError('secret_in_use', message, { details: { secret: name, usedBy: users } });
}

function checkName(name: string): void {
  if (SECRET_NAME_PATTERN.test(name)) return;
  const message =
    `${JSON.stringify(name.slice(0, 200))} is not a valid secret name: ` +
    'use only letters, digits and _, no digit at the start, at most 128 characters.';
  throw new AppError('bad_request', message);
}

function checkValue(name: string, value: SecretValue): void {
  const text = value.reveal();
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.byteLength === 0) throw new AppError('bad_request', `The value of the secret ${name} is empty.`);
  if (bytes.byteLength > MAX_SECRET_BYTES) {
    const message = `The value of the secret ${name} has ${bytes.byteLength} bytes; the maximum is ${MAX_SECRET_BYTES}.`;
    throw new AppError('bad_request', message);
  }
  // A lone surrogate has no UTF-8 form: it would be stored as another character and never match.
  if (bytes.toString('utf8') !== text) {
    throw new AppError('bad_request', `The value of the secret ${name} is not valid Unicode text.`);
  }
}

function unknownSecret(name: string): AppError {
  return new AppError('not_found', `The secret ${name} does not exist. "dockbell secret list" lists all secrets.`);
}
