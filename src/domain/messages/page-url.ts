const MAX_URL = 2_000;

/**
 * The address of a web page in a text of a third party, as browsers read it. `null` for anything else that a link could contain,
 * and for an address with a user, because it shows another host than it opens.
 */
export function readPageUrl(value: unknown, protocols: readonly ('https:' | 'http:')[]): string | null {
  if (typeof value !== 'string' || value.length > MAX_URL || !URL.canParse(value)) return null;
  const { protocol, username, password, href } = new URL(value);
  const isPage = (protocols as readonly string[]).includes(protocol) && username === '' && password === '';
  return isPage ? href : null;
}
