import { queryOptions } from '@tanstack/react-query';
import type { TokenRole } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { api } from './client.ts';

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async () => (await readAnswer(api.GET('/api/v1/tokens'))).data,
});

/** @param token.factories `null` for all factories */
export function createToken(token: {
  name: string;
  role: TokenRole;
  factories: string[] | null;
  /** A duration such as `90d`; `null` for a token that never expires. */
  expires_in: string | null;
}) {
  return readAnswer(api.POST('/api/v1/tokens', { body: token }));
}

export function revokeToken(id: string) {
  return readAnswer(api.DELETE('/api/v1/tokens/{id}', { params: { path: { id } } }));
}
