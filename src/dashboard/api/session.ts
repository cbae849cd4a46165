import { queryOptions } from '@tanstack/react-query';
import { csrfHeaders, rememberCsrfToken } from './client.ts';
import { RequestFailed, readAnswer } from './problem.ts';
import type { Role } from './types.ts';

/** Who is signed in. */
export interface SessionUser {
  name: string;
  role: Role;
  /** Names of the factories that the session is limited to; `null` for all. */
  factories: string[] | null;
  kind: string;
}

interface Session {
  user: SessionUser;
  csrf_token: string;
}

/** What opens a session: one of the three. */
export type Credentials = { username: string; password: string } | { login_token: string } | { api_token: string };

/** Who is signed in; `null` for nobody. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<SessionUser | null> => {
    try {
      return keep(await callSession('GET'));
    } catch (error) {
      if (error instanceof RequestFailed && error.problem.status === 401) return null;
      throw error;
    }
  },
  staleTime: Number.POSITIVE_INFINITY,
});

export async function signIn(credentials: Credentials): Promise<SessionUser> {
  return keep(await callSession('POST', credentials));
}

export async function signOut(): Promise<void> {
  await callSession('DELETE');
  rememberCsrfToken(null);
}

async function callSession(method: string, body?: Credentials): Promise<Session> {
  const headers = { ...csrfHeaders(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  const answer = async () => {
    const response = await fetch('/api/v1/session', { method, headers, body: JSON.stringify(body) });
    const parsed = response.status === 204 ? null : await response.json().catch(() => null);
    return response.ok ? { data: parsed as Session, response } : { error: parsed, response };
  };
  return readAnswer<Session>(answer());
}

function keep({ user, csrf_token }: Session): SessionUser {
  rememberCsrfToken(csrf_token);
  return user;
}
