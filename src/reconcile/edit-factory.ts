import type { Actor } from '../domain/access/access.ts';
import type { AppliedFactory } from '../domain/applies/applied.ts';
import type { Reconciliation } from '../domain/applies/reconciliation.ts';
import { webhookNameOf } from '../domain/definitions/definition-paths.ts';
import type { Diagnostic } from '../domain/definitions/diagnostic.ts';
import { digestBytes, replaceFiles, type SourceTree } from '../domain/definitions/source-tree.ts';
import { AppError } from '../domain/errors.ts';
import type { Resolution, SecretStore } from '../domain/ports/secret-store.ts';
import type { Author, FileChange, HostedSource } from '../domain/ports/sources.ts';
import { createScope, isInScope, type ScopeChange, type SecretUser } from '../domain/secrets/secret-scope.ts';
import type { SecretValue } from '../domain/secrets/secret-value.ts';
import { beginHosted } from './begin-hosted.ts';
import { planDefinition, validateDefinition } from './examine-tree.ts';
import type { FactoryContext, PassOrder } from './factory-context.ts';
import { applyPlanned, applyRevision, reconcileFactory } from './reconcile-factory.ts';

/** What an edit starts from. */
export interface EditedState {
  /** The newest revision of the source. */
  revision: string;
  tree: SourceTree;
  applied: AppliedFactory;
  /** Can a webhook take another name and keep its UID? */
  canRename: boolean;
  /** Any revision that the source keeps; throws `not_found`. */
  readTree(revision: string): Promise<SourceTree>;
}

/** A value to store for an edit: only once everything else about it is known to be good. */
interface NewSecret {
  name: string;
  value: SecretValue;
  mode: 'create' | 'update';
}

export interface ComposedEdit {
  files: readonly FileChange[];
  /** One line for the history. */
  message: string;
  secret?: NewSecret;
  /** Name of the webhook that takes up the newest value of its secret although nothing else about it changes. */
  renewSecretOf?: string;
}

/** A change of a hosted definition, by somebody. */
export interface FactoryEdit {
  actor: Actor;
  author: Author;
  /** Returns the change. Throws an `AppError` to reject the edit; nothing is written then. */
  compose(state: EditedState): ComposedEdit | Promise<ComposedEdit>;
}

/**
 * `applied`: committed and live. `unchanged`: it would change nothing. `refused`: the definition would not be valid,
 * or a secret does not fit; nothing was written. `lost`: another revision came in between; nothing was written.
 * `waiting`: committed, but something outside keeps it from being live; the loop tries again.
 */
export type EditOutcome =
  | { kind: 'applied' | 'waiting'; reconciliation: Reconciliation }
  | { kind: 'unchanged' }
  | { kind: 'refused'; diagnostics: Diagnostic[] }
  | { kind: 'lost' };

/**
 * One edit: what is committed already goes live first (a crash may lie in between), then validate, check the secrets,
 * store the new one, commit, apply. Nothing is committed that would not apply. The files are validated once: the
 * committed revision is applied from that result.
 */
export async function editFactory(context: FactoryContext, order: PassOrder, edit: FactoryEdit): Promise<EditOutcome> {
  const hosted = requireHosted(context);
  const state = await readState(context, hosted, order);
  const composed = await edit.compose(state);
  const files = composed.files.filter((file) => !isWritten(state.tree, file));
  if (files.length === 0 && composed.secret === undefined && composed.renewSecretOf === undefined) {
    return { kind: 'unchanged' };
  }

  const renewSecretsOf = new Set(composed.renewSecretOf === undefined ? [] : [composed.renewSecretOf]);
  const tree = applyFiles(state.tree, files);
  const definition = await validateDefinition(context, tree);
  const examined = await planDefinition(context, definition, {
    revision: state.revision,
    secrets: foresee(context, composed.secret),
    renewSecretsOf,
  });
  if (!examined.ok) return { kind: 'refused', diagnostics: examined.findings };

  const { author, actor } = edit;
  if (composed.secret !== undefined) await storeSecret(context, composed.secret, author);
  const at = context.clock.wallMs();
  const committed = await hosted.commit({ from: state.revision, files, author, message: composed.message, at });
  if (!committed.ok) {
    await forgetSecret(context.secrets, composed.secret);
    return { kind: 'lost' };
  }
  const { revision } = committed;
  context.state.tree = { revision, tree };
  const made = { revision, commit: { subject: composed.message, author: author.name, committedAt: at, url: null } };
  // The version of a stored secret is only known now.
  const reconciliation =
    composed.secret === undefined
      ? await applyPlanned(context, { ...order, actor }, made, examined)
      : await applyRevision(context, { ...order, actor, renewSecretsOf }, made, definition);
  return { kind: reconciliation.result === 'applied' ? 'applied' : 'waiting', reconciliation };
}

function requireHosted({ hosted, name }: FactoryContext): HostedSource {
  if (hosted !== null) return hosted;
  throw new AppError('conflict', `The repository of the factory ${name} decides its definition.`);
}

async function readState(context: FactoryContext, hosted: HostedSource, order: PassOrder): Promise<EditedState> {
  const { state } = context;
  const revision = await beginHosted(context, hosted);
  if ((await state.status())?.appliedRevision !== revision) await reconcileFactory(context, order);
  const readTree = async (wanted: string) => {
    const read = await hosted.readTree(wanted);
    if (read.ok) return read.tree;
    throw new AppError('not_found', `There is no revision ${wanted}.`);
  };
  if (state.tree?.revision !== revision) state.tree = { revision, tree: await readTree(revision) };
  const { tree } = state.tree;
  return { revision, tree, applied: await state.applied(), canRename: hosted.keepsUids, readTree };
}

function isWritten({ entries }: SourceTree, { path, text, uid }: FileChange): boolean {
  const present = entries.find((entry) => entry.path === path);
  if (text === null) return present === undefined;
  return uid === undefined && present?.kind === 'file' && present.digest === digestBytes(Buffer.from(text));
}

/** The tree as the edit leaves it. */
function applyFiles(tree: SourceTree, files: readonly FileChange[]): SourceTree {
  return { ...replaceFiles(tree, files), ...keepUids(tree, files) };
}

/** The UIDs of renamed webhooks after the edit, where the source keeps them. */
function keepUids({ uids }: SourceTree, files: readonly FileChange[]): Pick<SourceTree, 'uids'> {
  if (uids === undefined) return {};
  const kept = new Map(uids);
  for (const { path, text, uid } of files) {
    const name = webhookNameOf(path);
    if (name === null) continue;
    if (text === null) kept.delete(name);
    else if (uid !== undefined) kept.set(name, uid);
  }
  return { uids: kept };
}

/** The store as it will be with the new secret, so that a value that does not fit is never stored. */
function foresee(
  { secrets, name: factory }: Pick<FactoryContext, 'secrets' | 'name'>,
  secret: NewSecret | undefined,
): Pick<SecretStore, 'resolve' | 'scopes'> {
  if (secret === undefined) return secrets;
  const created = createScope(scopeOfNew(factory), []);
  const resolveNew = async (user: SecretUser): Promise<Resolution> => {
    const scope = secret.mode === 'create' ? created : (await secrets.scopes([secret.name])).get(secret.name);
    if (scope === undefined) return { outcome: 'missing' };
    return isInScope(scope, user)
      ? { outcome: 'found', version: 0, value: secret.value }
      : { outcome: 'outside_scope' };
  };
  return {
    resolve: (name, user) =>
      name === secret.name && user !== 'configuration' ? resolveNew(user) : secrets.resolve(name, user),
    scopes: async (names) => {
      const scopes = await secrets.scopes(names);
      return secret.mode === 'create' ? scopes.set(secret.name, created) : scopes;
    },
  };
}

/** A secret that is stored for a webhook serves only the webhooks of this factory. */
function scopeOfNew(factory: string): ScopeChange {
  return { factories: [factory], uses: ['webhook'] };
}

async function storeSecret(
  { secrets, name: factory }: Pick<FactoryContext, 'secrets' | 'name'>,
  { name, value, mode }: NewSecret,
  author: Author,
): Promise<void> {
  const scope = mode === 'create' ? { scope: scopeOfNew(factory) } : {};
  await secrets.put(name, value, mode, { by: author.name, ...scope });
}

/** A secret that was made for an edit that is not. */
async function forgetSecret(secrets: SecretStore, secret: NewSecret | undefined): Promise<void> {
  if (secret?.mode === 'create') await secrets.delete(secret.name, { force: false });
}
