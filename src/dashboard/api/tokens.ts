import { queryOptions } from '@tanstack/react-query';
import type { Role } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { api } from './client.ts';

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async () => (await readAnswer(api.GET('/api/v1/tokens'))).data,
});

/** @param token.factories `null` for all factories */
export function createToken(token: { name: string; role: Role; factories: string[] | null }) {
  return readAnswer(api.POST('/api/v1/tokens', { body: token }));
}

export function revokeToken(id: string) {
  return readAnswer(api.DELETE('/api/v1/tokens/{id}', { params: { path: { id } } }));
}
