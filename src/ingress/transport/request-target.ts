/** The parts of a request target. */
export interface RequestTarget {
  /** The path as sent; nothing is percent-decoded. */
  path: string;
  /** The query with its question mark; empty if the target has none. */
  query: string;
}

/** Reads a request target in origin form (`/path?query`) or absolute form (`http://host/path?query`). */
export function readRequestTarget(target: string): RequestTarget {
  const origin = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const query = origin.indexOf('?');
  return query === -1 ? { path: origin, query: '' } : { path: origin.slice(0, query), query: origin.slice(query) };
}
