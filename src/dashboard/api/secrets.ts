import { queryOptions } from '@tanstack/react-query';
import type { Secret } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { api } from './client.ts';

export const secretsQuery = queryOptions({
  queryKey: ['secrets'],
  queryFn: async () => (await readAnswer(api.GET('/api/v1/secrets'))).data,
});

export type SecretUse = keyof Secret['scope'];

/** The scope that a form asks for. */
export interface ScopeDraft {
  /** `null` for all factories. */
  factories: string[] | null;
  uses: SecretUse[];
}

const USES: SecretUse[] = ['webhook', 'run'];

/** The draft that a form about an existing secret begins with. */
export function draftScope(scope: Secret['scope']): ScopeDraft {
  const used = USES.filter((use) => scope[use]?.length !== 0);
  const factories = used.some((use) => scope[use] === null) ? null : used.flatMap((use) => scope[use] ?? []);
  return { factories: factories && [...new Set(factories)], uses: used.length === 0 ? USES : used };
}

/** Can the draft be stored? */
export function isComplete({ factories, uses }: ScopeDraft): boolean {
  return uses.length > 0 && factories?.length !== 0;
}

/** A secret to store. Its value cannot be read back. */
export interface SecretToStore {
  name: string;
  value: string;
  mode: 'create' | 'update';
  /** Omitted to keep the scope. */
  scope?: ScopeDraft;
}

export function storeSecret({ name, value, mode, scope }: SecretToStore) {
  const params = { path: { name }, query: { mode } };
  return readAnswer(api.PUT('/api/v1/secrets/{name}', { params, body: { value, ...scope } }));
}

/** @param force excludes factories that use the secret */
export function changeScope({ name, scope, force }: { name: string; scope: ScopeDraft; force: boolean }) {
  const params = { path: { name }, query: { mode: 'update' as const, ...(force ? { force } : {}) } };
  return readAnswer(api.PUT('/api/v1/secrets/{name}', { params, body: { ...scope } }));
}

/** @param force deletes a secret that is in use */
export function deleteSecret({ name, force }: { name: string; force: boolean }) {
  return readAnswer(api.DELETE('/api/v1/secrets/{name}', { params: { path: { name }, query: { force } } }));
}

/** Webhooks that use an older version than the latest. */
export function listOutdated({ used_by, version }: Secret): Secret['used_by'] {
  return used_by.filter((webhook) => webhook.version < version);
}
