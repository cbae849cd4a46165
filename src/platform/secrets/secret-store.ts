import { AppError } from '../../domain/errors.ts';
import type {
  PutMode,
  PutOptions,
  SealedSecret,
  SealedSecretTable,
  SecretHistory,
  SecretStore,
  SecretVersion,
  StoredSecret,
  StoredSecretSummary,
} from '../../domain/ports/secret-store.ts';
import type { SecretSummary } from '../../domain/resources/secret.ts';
import { changeScope, createScope, isInScope, type SecretScope } from '../../domain/secrets/secret-scope.ts';
import type { SecretValue } from '../../domain/secrets/secret-value.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { TaskQueue } from '../../domain/time/task-queue.ts';
import { SECRET_NAME_PATTERN } from '../../domain/words/names.ts';
import type { Redactor } from './redactor.ts';
import type { Vault } from './vault.ts';

/** The longest value a secret may have, in bytes of UTF-8: 64 KiB, room for any key or certificate chain. */
export const MAX_SECRET_BYTES = 65_536;

interface SecretStoreDependencies {
  table: SealedSecretTable;
  vault: Vault;
  clock: Clock;
  /** Gets every value, so that the log masks it from then on. */
  redactor: Redactor;
  /** The targets of `notify` of all configured factories, with the secret that each names. */
  readonly notifyTargets: readonly NamingTarget[];
  /** The factories whose executor `http` signs requests, with the secret that each names. Default: none. */
  readonly receivers?: readonly Omit<NamingTarget, 'type'>[];
  /** The targets of alerts, with the secrets that each names. Default: none. */
  readonly alertTargets?: readonly { name: string; secretName: string }[];
  /** Names of the configured factories. */
  readonly factories: readonly string[];
}

/** A target of `notify` in the configuration that uses a secret. */
export interface NamingTarget {
  factory: string;
  type: string;
  secretName: string;
}

/** The encrypted team store over a table of sealed values. */
export function createSecretStore(parts: SecretStoreDependencies): SecretStore & SecretHistory {
  const { table, vault, clock, redactor } = parts;
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
  const store = async (
    name: string,
    value: SecretValue | null,
    mode: PutMode,
    { by = null, scope: change, force = false }: PutOptions,
  ): Promise<StoredSecret> => {
    const existing = await table.newest(name);
    rejectWrongMode(name, existing !== null, mode);
    const scope =
      existing === null ? createScope(change ?? {}, parts.factories) : chooseScope(name, existing.scope, change);
    if (existing !== null && change !== undefined && !force) {
      rejectLostUsers(name, await findUses(name), existing.scope, scope);
    }
    if (value === null) {
      if (existing === null) throw new AppError('bad_request', `The secret ${name} is new and needs a value.`);
      await table.setScope(name, scope);
      return { created: false, version: existing.version, scope };
    }
    const version = (await table.lastVersion(name)) + 1;
    const sealed = vault.seal(name, version, value);
    await table.insert(
      { name, version, sealed, createdAt: clock.wallMs(), createdBy: by },
      existing !== null && change === undefined ? undefined : scope,
    );
    return { created: existing === null, version, scope };
  };
  // This process is the only writer. Sequential, so that no version is used between the read and the insert.
  const puts = new TaskQueue();
  const addTargets = (secret: StoredSecretSummary): SecretSummary => {
    return { ...secret, notify: listTargets(parts.notifyTargets, secret.name) };
  };
  const find = async (name: string) => {
    const found = await table.find(name);
    return found === null ? null : addTargets(found);
  };
  const findUses = async (name: string): Promise<SecretUses | null> => {
    const found = await find(name);
    const signers = (parts.receivers ?? []).filter(({ secretName }) => secretName === name);
    const alerting = (parts.alertTargets ?? []).filter(({ secretName }) => secretName === name);
    return found === null
      ? null
      : { ...found, signers: signers.map(({ factory }) => factory), alerting: alerting.map(({ name }) => name) };
  };
  return {
    put: async (name, value, mode, options = {}) => {
      checkName(name);
      if (value !== null) {
        checkValue(name, value);
        redactor.add(value);
      }
      return puts.run(() => store(name, value, mode, options));
    },
    delete: async (name, { force, by = null }) => {
      if (!force) rejectWhileUsed(name, await findUses(name));
      if (!(await table.delete(name, { at: clock.wallMs(), name: by }))) throw unknownSecret(name);
    },
    list: async () => (await table.list()).map(addTargets),
    find,
    resolve: async (name, user) => {
      const newest = await table.newest(name);
      if (newest === null) return { outcome: 'missing' };
      if (user !== 'configuration' && !isInScope(newest.scope, user)) return { outcome: 'outside_scope' };
      return { outcome: 'found', version: newest.version, value: openSealed(newest) };
    },
    scopes: (names) => table.scopes(names),
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

function chooseScope(name: string, present: SecretScope, change: PutOptions['scope']): SecretScope {
  if (change === undefined) return present;
  const changed = changeScope(present, change);
  if (changed !== null) return changed;
  const message = `Webhooks and runs of different factories may use the secret ${name}. Name both the factories and the uses (--factory and --use), or add to the scope (--add).`;
  throw new AppError('bad_request', message);
}

/** What uses a secret. */
interface SecretUses extends Pick<SecretSummary, 'usedBy' | 'listedBy' | 'notify'> {
  /** Factories whose executor `http` signs requests with it. */
  signers: readonly string[];
  /** Targets of alerts. */
  alerting: readonly string[];
}

/** Factories that use the secret must not lose it by mistake: their next apply or run would fail. */
function rejectLostUsers(name: string, secret: SecretUses | null, before: SecretScope, after: SecretScope): void {
  const isLost = (factory: string, use: keyof SecretScope) =>
    isInScope(before, { factory, use }) && !isInScope(after, { factory, use });
  const users = nameUsers({
    usedBy: (secret?.usedBy ?? []).filter(({ factory }) => isLost(factory, 'webhook')),
    listedBy: (secret?.listedBy ?? []).filter(({ factory }) => isLost(factory, 'run')),
    notify: [],
    signers: (secret?.signers ?? []).filter((factory) => isLost(factory, 'run')),
    alerting: [],
  });
  if (users.length === 0) return;
  const message = `The new scope of the secret ${name} excludes ${users.join(', ')}. Configure another secret there first, add to the scope with --add (API: "add": true), or change it with --force (API: ?force=true).`;
  throw new AppError('secret_in_use', message, { details: { secret: name, usedBy: users } });
}

/** Several targets of one factory and type are one use. */
function listTargets(targets: readonly NamingTarget[], secretName: string): SecretSummary['notify'] {
  const uses = targets.filter((target) => target.secretName === secretName);
  const keyed = new Map(uses.map(({ factory, type }) => [`${factory} ${type}`, { factory, type }]));
  return [...keyed.values()];
}

function rejectWhileUsed(name: string, secret: SecretUses | null): void {
  const users = secret === null ? [] : nameUsers(secret);
  if (users.length === 0) return;
  const message = `The secret ${name} is used by ${users.join(', ')}. Configure another secret there first, or delete it with --force (API: ?force=true).`;
  throw new AppError('secret_in_use', message, { details: { secret: name, usedBy: users } });
}

function nameUsers({ usedBy, listedBy, notify, signers, alerting }: SecretUses): string[] {
  const users = [
    ...usedBy.map(({ factory, webhook }) => `${factory}/${webhook}`),
    ...listedBy.map(({ factory, automation }) => `${factory}/${automation} (automation)`),
    ...notify.map(({ factory, type }) => `${factory}/${type} (notify)`),
    ...signers.map((factory) => `${factory} (executor http)`),
    ...alerting.map((target) => `${target} (target of alerts)`),
  ];
  return [...new Set(users)];
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
