/** Only to take a path apart: nothing is ever asked there. */
const HERE = 'http://here.invalid';
const MAX_CHARACTERS = 1000;
/** Paths that are not pages of the dashboard, or that would redirect a user in a circle. */
const NO_PAGE = /^\/(?:api|auth|assets|login)(?:[/?#]|$)/;

/**
 * Where somebody goes after signing in: a page of this origin, also if an untrusted link names another (no open
 * redirect). The overview for everything else.
 */
export function readReturnPath(text: unknown): string {
  if (typeof text !== 'string' || text.length > MAX_CHARACTERS || !text.startsWith('/')) return '/';
  if (!URL.canParse(text, HERE)) return '/';
  const { origin, pathname, search, hash } = new URL(text, HERE);
  // `/x/..//evil.example` is a path until it is put straight, and another host then.
  const isHere = origin === HERE && !pathname.startsWith('//');
  return isHere && !NO_PAGE.test(pathname) ? `${pathname}${search}${hash}` : '/';
}
