/** What a request target of the ingress names. */
export interface WebhookPath {
  uid: string;
  /** The credential segment; `null` where there is none. */
  token: string | null;
}

const PREFIX = '/webhooks/w/';

/**
 * Reads `/webhooks/w/<uid>` and `/webhooks/w/<uid>/<token>`. A query is ignored, an absolute-form target is served by
 * its path, nothing is percent-decoded. `null` for every other path.
 */
export function parseWebhookPath(target: string): WebhookPath | null {
  const path = readPath(target);
  if (!path.startsWith(PREFIX)) return null;
  const segments = path.slice(PREFIX.length).split('/');
  const [uid, token] = segments;
  if (segments.length > 2 || !uid || token === '') return null;
  return { uid, token: token ?? null };
}

/** The path of a request target, in origin form (`/path?query`) or absolute form (`http://host/path?query`). */
export function readPath(target: string): string {
  const origin = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const query = origin.indexOf('?');
  return query === -1 ? origin : origin.slice(0, query);
}

/** The query of a request target with its question mark; `''` where there is none. */
export function readQuery(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? '' : target.slice(query);
}
