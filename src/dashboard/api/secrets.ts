import { queryOptions } from '@tanstack/react-query';
import type { Secret } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { api } from './client.ts';

export const secretsQuery = queryOptions({
  queryKey: ['secrets'],
  queryFn: async () => (await readAnswer(api.GET('/api/v1/secrets'))).data,
});

/** A secret to store. Its value cannot be read back. */
export interface SecretToStore {
  name: string;
  value: string;
  mode: 'create' | 'update';
}

export function storeSecret({ name, value, mode }: SecretToStore) {
  const params = { path: { name }, query: { mode } };
  return readAnswer(api.PUT('/api/v1/secrets/{name}', { params, body: { value } }));
}

/** @param force deletes a secret that is in use */
export function deleteSecret({ name, force }: { name: string; force: boolean }) {
  return readAnswer(api.DELETE('/api/v1/secrets/{name}', { params: { path: { name }, query: { force } } }));
}

/** Webhooks that use an older version than the latest. */
export function listOutdated({ used_by, version }: Secret): Secret['used_by'] {
  return used_by.filter((webhook) => webhook.version < version);
}
