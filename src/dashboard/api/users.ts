import { queryOptions } from '@tanstack/react-query';
import type { Role } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { api } from './client.ts';

const ONE = '/api/v1/users/{id}';

/** Role and factories of a user or token. */
export interface Access {
  role: Role;
  /** Names of the accessible factories; `null` for all. */
  factories: string[] | null;
}

export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: async () => (await readAnswer(api.GET('/api/v1/users'))).data,
});

export function createUser(user: Access & { name: string; password: string }) {
  return readAnswer(api.POST('/api/v1/users', { body: user }));
}

export function changeUser(id: string, change: Partial<Access> & { password?: string; disabled?: boolean }) {
  return readAnswer(api.PATCH(ONE, { params: { path: { id } }, body: change }));
}

export function deleteUser(id: string) {
  return readAnswer<unknown>(api.DELETE(ONE, { params: { path: { id } } }));
}

export function userSessionsQuery(id: string) {
  return queryOptions({
    queryKey: ['users', id, 'sessions'],
    queryFn: async () => (await readAnswer(api.GET(`${ONE}/sessions`, { params: { path: { id } } }))).data,
  });
}

export function endUserSessions(id: string) {
  return readAnswer<unknown>(api.DELETE(`${ONE}/sessions`, { params: { path: { id } } }));
}
