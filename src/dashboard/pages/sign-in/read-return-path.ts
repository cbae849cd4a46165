/**
 * Where somebody goes after signing in: the page that he asked for, or the one that the address of the sign-in page
 * names. A link of a stranger leads to no other site: what is not a path of this one is the overview.
 */
export function readReturnPath({ origin, pathname, search, hash }: Location): string {
  if (pathname !== '/login') return `${pathname}${search}${hash}`;
  const asked = new URLSearchParams(search).get('return_to') ?? '';
  if (!asked.startsWith('/') || !URL.canParse(asked, origin)) return '/';
  const url = new URL(asked, origin);
  const isHere = url.origin === origin && !url.pathname.startsWith('//') && url.pathname !== '/login';
  return isHere ? `${url.pathname}${url.search}${url.hash}` : '/';
}
