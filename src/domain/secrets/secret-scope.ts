import type { JsonSchema } from '../json.ts';

/** What a definition can use a team secret for: to verify deliveries, or as a variable of runs. */
export const SECRET_USES = ['webhook', 'run'] as const;
export type SecretUse = (typeof SECRET_USES)[number];

/** For each use, the names of the factories that may use a team secret; `null` for all factories, also later ones. */
export type SecretScope = { readonly [use in SecretUse]: readonly string[] | null };

/** A factory and what it uses a secret for. */
export interface SecretUser {
  factory: string;
  use: SecretUse;
}

/** A change of a scope. Omitted parts stay as they are. */
export interface ScopeChange {
  /** `null` for all factories. */
  factories?: readonly string[] | null;
  uses?: readonly SecretUse[];
  /** Adds to the scope instead of replacing it. */
  add?: boolean;
}

const factoryNames: JsonSchema = { type: ['array', 'null'], items: { type: 'string' } };

/** A scope in answers of the API. */
export const SCOPE_SCHEMA: JsonSchema = {
  type: 'object',
  required: [...SECRET_USES],
  additionalProperties: false,
  properties: {
    webhook: { ...factoryNames, description: 'Factories whose webhooks may use it; `null` for all.' },
    run: { ...factoryNames, description: 'Factories whose runs may receive it; `null` for all.' },
  },
};

export function isInScope(scope: SecretScope, { factory, use }: SecretUser): boolean {
  const factories = scope[use];
  return factories === null || factories.includes(factory);
}

/**
 * Why a factory cannot use the secret that its definition names, and what changes it. The words are the same whether the
 * secret does not exist or its scope excludes the factory: the author of a pull request, or a reader who sees only this
 * factory, must not learn which secrets other factories have. `dockbell secret list` shows the difference to owners.
 */
export function describeUnusable(name: string, { factory, use }: SecretUser): { message: string; hint: string } {
  return {
    message: `there is no team secret named ${name} that ${use}s of the factory ${factory} may use`,
    hint: `create it: dockbell secret create ${name} --factory ${factory}; if "dockbell secret list" shows it, an owner can extend its scope: dockbell secret update ${name} --factory ${factory} --use ${use} --add`,
  };
}

/** The scope of a new secret. Without `factories`, it is the only factory of the daemon, or else no factory. */
export function createScope(
  { factories, uses = SECRET_USES }: ScopeChange,
  configured: readonly string[],
): SecretScope {
  const only = configured.length === 1 ? configured : [];
  return composeScope(factories === undefined ? only : factories, uses);
}

/**
 * The scope after a change. `null` if the change names only factories or only uses, while the uses of the scope have
 * different factories: then it is not clear what the change means.
 */
export function changeScope(scope: SecretScope, change: ScopeChange): SecretScope | null {
  if (change.add === true) return extendScope(scope, change);
  const used = SECRET_USES.filter((use) => !isNone(scope[use]));
  const lists = used.map((use) => scope[use]!);
  const isEven = lists.every((list) => isSameList(list, lists[0]!));
  const { factories, uses } = change;
  if (!isEven && (factories === undefined || uses === undefined)) return null;
  return composeScope(
    factories === undefined ? (lists.length === 0 ? [] : lists[0]!) : factories,
    uses ?? (used.length === 0 ? SECRET_USES : used),
  );
}

function extendScope(scope: SecretScope, { factories = [], uses = SECRET_USES }: ScopeChange): SecretScope {
  const extend = (use: SecretUse) => {
    const present = scope[use];
    if (!uses.includes(use) || present === null) return present;
    return factories === null ? null : sortNames([...present, ...factories]);
  };
  return { webhook: extend('webhook'), run: extend('run') };
}

function composeScope(factories: readonly string[] | null, uses: readonly SecretUse[]): SecretScope {
  const list = (use: SecretUse) => (uses.includes(use) ? factories && sortNames(factories) : []);
  return { webhook: list('webhook'), run: list('run') };
}

function sortNames(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}

function isNone(factories: readonly string[] | null): boolean {
  return factories?.length === 0;
}

function isSameList(one: readonly string[] | null, other: readonly string[] | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
