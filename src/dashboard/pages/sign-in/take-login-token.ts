/**
 * The token of a one-time link, `/login#token=…`; `null` without one. A fragment reaches no server and no log; taken out
 * of the address at once, it is not in the history of the browser either.
 */
export function takeLoginToken(): string | null {
  const token = new URLSearchParams(window.location.hash.slice(1)).get('token');
  if (token !== null) window.history.replaceState(null, '', window.location.pathname);
  return token;
}
