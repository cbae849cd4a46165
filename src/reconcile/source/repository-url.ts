import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasUnprintable } from './printable-text.ts';

/** User name and password of a URL. git gets them through its environment, never as an argument. */
export interface Credentials {
  username: string;
  password: string;
}

/** The location of a repository. `display` can be shown: it never contains credentials. */
export type RepositoryLocation =
  | { kind: 'local'; path: string; display: string }
  | {
      kind: 'remote';
      protocol: 'https' | 'http' | 'ssh';
      /** The URL for git, without credentials. */
      gitUrl: string;
      /** `scheme://host:port`, the only server that gets the credentials; `''` for ssh. */
      origin: string;
      display: string;
      credentials: Credentials | null;
    };

type RepositoryUrlResult = { ok: true; location: RepositoryLocation } | { ok: false; message: string };

/** A host name or address, which cannot be an option of ssh. */
const HOST = /^(?:[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?|\[[0-9A-Fa-f:.]+\])$/;
const SSH_USER = /^[A-Za-z0-9_][A-Za-z0-9._+-]*$/;
const SCP_LIKE = /^(?:(?<user>[^@/:]+)@)?(?<host>\[[^\]/]*\]|[^:/@[\]]+):(?<path>.+)$/s;
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//;
const ALLOWED = 'Use https://, ssh://, git@host:path, file:// or a local path';

/**
 * Parses the address of a repository before git sees it. Rejects everything that git could read as an option, a command
 * or a transport helper (threat model G1). A local path must be absolute.
 */
export function parseRepositoryUrl(text: string): RepositoryUrlResult {
  if (text.trim() === '') return rejectUrl('The URL of the repository is empty');
  if (hasUnprintable(text) || text !== text.trim()) {
    return rejectUrl(
      'The URL of the repository contains a line break, a control character, or white space at its start or end',
    );
  }
  if (text.startsWith('-'))
    return rejectUrl('The URL of the repository starts with "-", which git would read as an option');
  if (isAbsolute(text)) return { ok: true, location: { kind: 'local', path: text, display: text } };
  if (/^[^/[\]]*::/.test(text))
    return rejectUrl('The URL of the repository names a transport helper ("name::address")');
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  return scheme === undefined ? parseScpLike(text) : parseByScheme(scheme, text);
}

function parseByScheme(scheme: string, text: string): RepositoryUrlResult {
  if (!URL.canParse(text)) return rejectUrl('The URL of the repository is malformed');
  const url = new URL(text);
  if (url.search !== '' || url.hash !== '') return rejectUrl('The URL of the repository has a query or a fragment');
  if (scheme === 'file') return parseFileUrl(url);
  if (scheme === 'https' || scheme === 'http') return parseWebUrl(scheme, url);
  if (scheme === 'ssh') return parseSshUrl(url);
  return rejectUrl(`The scheme "${scheme}" is not allowed for a repository`);
}

function parseFileUrl(url: URL): RepositoryUrlResult {
  if (url.hostname !== '' || url.username !== '') return rejectUrl('A file URL of a repository names a host');
  try {
    const path = fileURLToPath(url);
    if (hasUnprintable(path)) return rejectUrl('The path of the repository contains a control character');
    return { ok: true, location: { kind: 'local', path, display: path } };
  } catch {
    return rejectUrl('The file URL of the repository is malformed');
  }
}

function parseWebUrl(protocol: 'https' | 'http', url: URL): RepositoryUrlResult {
  // Plain HTTP can be modified in transit, except on this machine.
  if (protocol === 'http' && !isLoopback(url.hostname)) {
    return rejectUrl('A repository with plain http must be on this machine');
  }
  if (!HOST.test(url.hostname)) return rejectUrl('The URL of the repository has no valid host');
  const credentials = readCredentials(url);
  if (credentials === 'unreadable')
    return rejectUrl('The user name or password in the URL of the repository is malformed');
  const origin = `${protocol}://${url.host}`;
  const gitUrl = `${origin}${url.pathname}`;
  return { ok: true, location: { kind: 'remote', protocol, gitUrl, origin, display: gitUrl, credentials } };
}

function parseSshUrl(url: URL): RepositoryUrlResult {
  if (url.password !== '') return rejectUrl('ssh does not use a password in a URL; use a key');
  const target = checkSshTarget(url.username, url.hostname, url.pathname.replace(/^\/(?=~)/, ''));
  if (target !== null) return rejectUrl(target);
  const user = url.username === '' ? '' : `${url.username}@`;
  const gitUrl = `ssh://${user}${url.host}${url.pathname}`;
  return {
    ok: true,
    location: { kind: 'remote', protocol: 'ssh', gitUrl, origin: '', display: gitUrl, credentials: null },
  };
}

function parseScpLike(text: string): RepositoryUrlResult {
  const { user = '', host = '', path = '' } = SCP_LIKE.exec(text)?.groups ?? {};
  if (host === '') return rejectUrl('The repository is neither an allowed URL nor an absolute path');
  const target = checkSshTarget(user, host, path);
  if (target !== null) return rejectUrl(target);
  return {
    ok: true,
    location: { kind: 'remote', protocol: 'ssh', gitUrl: text, origin: '', display: text, credentials: null },
  };
}

function checkSshTarget(user: string, host: string, path: string): string | null {
  if (!HOST.test(host)) return 'The URL of the repository has no valid host';
  if (user !== '' && !SSH_USER.test(user)) return 'The URL of the repository has an invalid user name';
  if (path === '' || path === '/') return 'The URL of the repository has no path';
  return path.startsWith('-') ? 'The path in the URL of the repository starts with "-"' : null;
}

function readCredentials(url: URL): Credentials | null | 'unreadable' {
  if (url.username === '' && url.password === '') return null;
  try {
    const username = decodeURIComponent(url.username);
    const password = decodeURIComponent(url.password);
    // The credential protocol of git has one value per line.
    return hasUnprintable(username + password) ? 'unreadable' : { username, password };
  } catch {
    return 'unreadable';
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'));
}

function rejectUrl(message: string): { ok: false; message: string } {
  return { ok: false, message: `${message}. ${ALLOWED}.` };
}

/** Removes the credentials in every encoding, and everything before the `@` of a URL, from a text to show. */
export function redactCredentials(text: string, credentials: Credentials | null): string {
  const secrets = [credentials?.password, credentials?.username].flatMap((value) =>
    value ? [value, encodeURIComponent(value), encodeURI(value)] : [],
  );
  const withoutSecrets = secrets
    .sort((a, b) => b.length - a.length)
    .reduce((clean, secret) => clean.replaceAll(secret, '***'), text);
  return redactUserInfo(withoutSecrets);
}

/** Replaces the part between `://` and the last `@` of an authority. Reads each character once. */
function redactUserInfo(text: string): string {
  const parts: string[] = [];
  let taken = 0;
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', taken)) {
    const start = at + '://'.length;
    AUTHORITY.lastIndex = start;
    const [authority = ''] = AUTHORITY.exec(text) ?? [];
    const end = authority.lastIndexOf('@');
    parts.push(text.slice(taken, start), end === -1 ? authority : `***${authority.slice(end)}`);
    taken = start + authority.length;
  }
  return parts.join('') + text.slice(taken);
}

const AUTHORITY = /[^/\s]*/y;
