/**
 * The path to open after signing in: the requested page, or `return_to` of the sign-in page. Anything that is not a path of
 * this site is replaced by `/`, so that links cannot redirect to other sites.
 */
export function readReturnPath({ origin, pathname, search, hash }: Location): string {
  if (pathname !== '/login') return `${pathname}${search}${hash}`;
  const requested = new URLSearchParams(search).get('return_to') ?? '';
  if (!requested.startsWith('/') || !URL.canParse(requested, origin)) return '/';
  const url = new URL(requested, origin);
  const isHere = url.origin === origin && !url.pathname.startsWith('//') && url.pathname !== '/login';
  return isHere ? `${url.pathname}${url.search}${url.hash}` : '/';
}
