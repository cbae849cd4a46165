import { queryOptions } from '@tanstack/react-query';
import type { SignedIn } from '../../client/api-types.ts';
import { RequestFailed, readAnswer } from '../../client/read-answer.ts';
import { api, rememberCsrfToken } from './client.ts';

/** The signed-in user. */
export type SessionUser = SignedIn['user'] & {
  /** The newest event when the session was read. All other data is read after it. */
  lastEventId: string;
};

/** One of the three kinds of credentials that start a session. */
export type SignInCredentials =
  | { username: string; password: string }
  | { login_token: string }
  | { api_token: string };

const PATH = '/api/v1/session';

/** The signed-in user; `null` if nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  // The signal aborts an outdated request, whose response would restore an earlier CSRF token.
  queryFn: async ({ signal }): Promise<SessionUser | null> => {
    try {
      return keep(await readAnswer(api.GET(PATH, { signal })));
    } catch (error) {
      if (error instanceof RequestFailed && error.problem.status === 401) return null;
      throw error;
    }
  },
  staleTime: Number.POSITIVE_INFINITY,
});

export async function signIn(credentials: SignInCredentials): Promise<SessionUser> {
  return keep(await readAnswer(api.POST(PATH, { body: credentials })));
}

export async function signOut(): Promise<void> {
  await readAnswer<unknown>(api.DELETE(PATH));
  rememberCsrfToken(null);
}

/** The daemon starts a new session for this browser and ends all other sessions of the user. */
export async function changePassword(passwords: { current_password: string; new_password: string }) {
  return keep(await readAnswer(api.POST(`${PATH}/password`, { body: passwords })));
}

/** Sessions of the signed-in user. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async () => (await readAnswer(api.GET('/api/v1/sessions'))).data,
});

export function endSession(id: string) {
  return readAnswer<unknown>(api.DELETE('/api/v1/sessions/{id}', { params: { path: { id } } }));
}

export function endOtherSessions() {
  return readAnswer<unknown>(api.DELETE('/api/v1/sessions'));
}

function keep({ user, csrf_token, last_event_id: lastEventId }: SignedIn): SessionUser {
  rememberCsrfToken(csrf_token);
  return { ...user, lastEventId };
}
