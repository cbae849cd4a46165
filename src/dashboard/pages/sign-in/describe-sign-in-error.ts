import { RequestFailed } from '../../../client/read-answer.ts';
import type { SignInCredentials } from '../../api/session.ts';

/** The API answers the same for all credentials. This text names the ones that were used. Other errors are returned as they are. */
export function describeSignInError(error: Error, credentials: SignInCredentials | undefined): Error {
  if (!(error instanceof RequestFailed) || error.problem.status !== 401 || credentials === undefined) return error;
  return new RequestFailed({ ...error.problem, title: 'Sign-in failed', detail: describeCredentials(credentials) });
}

function describeCredentials(credentials: SignInCredentials): string {
  if ('login_token' in credentials) {
    return 'This login link was already used or has expired. Run “dockbell login-link” on the daemon host to create a new one.';
  }
  return 'api_token' in credentials
    ? 'This API token is not valid. It may have been revoked or copied incompletely.'
    : 'Wrong user name or password.';
}
