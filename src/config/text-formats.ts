import { isIP } from 'node:net';
import { TEMPLATE_PATTERN } from '../domain/runs/workspace.ts';

/** How a kind of text is checked. */
interface FormatRule {
  /** Completes the sentence "... must be". */
  expected: string;
  /** Regular expression that every accepted text matches. It is part of the JSON Schema. */
  pattern: string;
  /** The text as the daemon uses it; `null` if it is invalid although the pattern matches. */
  normalise(text: string): string | null;
}

const keep = (text: string) => text;

/** The kinds of text that options contain. */
export const TEXT_FORMATS = {
  baseUrl: {
    expected: 'an http or https URL without user name, query or fragment, such as https://hooks.example.com',
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s?#@]+$',
    normalise: normaliseBaseUrl,
  },
  originUrl: {
    expected: 'an http or https URL without path, such as https://dockbell.example.com',
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s?#@/]+/?$',
    normalise: (text) => (URL.canParse(text) ? new URL(text).origin : null),
  },
  httpUrl: {
    expected: 'an http or https URL without user name or fragment',
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s#]+$',
    normalise: normaliseHttpUrl,
  },
  postgresUrl: {
    expected: 'a URL such as postgres://dockbell:PASSWORD@db.example.com:5432/dockbell',
    pattern: '^postgres(ql)?://[^\\s#]+$',
    normalise: (text) => (URL.canParse(text) ? text : null),
  },
  bucketName: {
    expected: 'the name of a bucket: 3 to 63 lower-case letters, digits, "-" and ".", such as dockbell-logs',
    pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$',
    normalise: keep,
  },
  objectPrefix: {
    expected:
      'the beginning of a key: names of letters, digits, "_", "." and "-", with "/" between them, such as run-logs',
    pattern: '^[A-Za-z0-9_.-]{1,100}(/[A-Za-z0-9_.-]{1,100}){0,5}$',
    normalise: keep,
  },
  repositoryName: {
    expected: 'the name of a repository at its git host, such as team/payments-factory',
    pattern: '^[A-Za-z0-9_.-]{1,100}(/[A-Za-z0-9_.-]{1,100}){0,20}$',
    normalise: (text) => (text.split('/').some((part) => /^\.{1,2}$/.test(part)) ? null : text),
  },
  secretName: {
    expected: 'the name of a team secret: letters, digits and "_", not starting with a digit, at most 128 characters',
    pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$',
    normalise: keep,
  },
  statusContext: {
    expected: '1 to 100 printable ASCII characters, such as dockbell/payments',
    pattern: '^[\\x20-\\x7e]{1,100}$',
    normalise: keep,
  },
  visibleText: {
    expected: '1 to 300 characters without line breaks',
    pattern: '^[^\\p{Cc}]{1,300}$',
    normalise: keep,
  },
  scope: {
    expected: 'the name of a scope, such as openid',
    pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,200}$',
    normalise: keep,
  },
  template: {
    expected: 'a text without spaces, or a template such as {{ pull_request.number }}',
    pattern: TEMPLATE_PATTERN,
    normalise: keep,
  },
  containerImage: {
    expected: 'the name of an image, such as ghcr.io/acme/agent:1.4',
    pattern: '^[A-Za-z0-9][A-Za-z0-9._/:@-]{0,499}$',
    normalise: keep,
  },
  containerNetwork: {
    expected: 'none, or the name of a network',
    pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$',
    normalise: keep,
  },
  memorySize: {
    expected: 'a number with the unit k, m or g, such as 2g',
    pattern: '^[1-9][0-9]{0,8}[kmg]$',
    normalise: keep,
  },
  decimal: {
    expected: 'a number greater than 0, such as 0.5 or 4',
    pattern: '^(?=.*[1-9])[0-9]{1,4}([.][0-9]{1,3})?$',
    normalise: keep,
  },
  argument: {
    expected: 'a text without NUL',
    pattern: '^[^\\x00]{1,4000}$',
    normalise: keep,
  },
  systemUser: {
    expected: 'the name of a system user, or uid:gid',
    pattern: '^([A-Za-z_][A-Za-z0-9_.-]{0,63}|[0-9]{1,10}:[0-9]{1,10})$',
    normalise: keep,
  },
  listenHost: {
    expected: 'a host name or an IP address, without port',
    pattern: '^[A-Za-z0-9._:%-]+$',
    normalise: (text) => (isIP(text) !== 0 || /^[A-Za-z0-9._-]+$/.test(text) ? text : null),
  },
  hostName: {
    expected: 'a host name, with or without port, such as dockbell.example.com',
    pattern: '^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?$',
    normalise: (text) => text.toLowerCase(),
  },
  proxy: {
    expected: 'an IP address or a subnet, such as 10.0.0.1 or 10.0.0.0/8',
    pattern: '^[0-9A-Fa-f:.]+(/[0-9]{1,3})?$',
    normalise: (text) => (isAddressOrSubnet(text) ? text : null),
  },
  factoryName: {
    expected: 'a name of lowercase letters, digits and "-", starting with a letter or digit, at most 63 characters',
    pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
    normalise: keep,
  },
  webhookName: {
    expected: 'the name of a webhook: its file name without .yaml',
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$',
    normalise: keep,
  },
  alertRule: {
    expected: 'the name of a rule, such as runFailed',
    pattern: '^[A-Za-z]{1,40}$',
    normalise: keep,
  },
  mailAddress: {
    expected: 'a mail address, such as ops@example.com',
    pattern: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(\\.[A-Za-z0-9-]{1,63}){0,8}$",
    normalise: keep,
  },
  branch: {
    expected: 'the name of a branch, such as main',
    pattern: '^[^-\\s/~^:?*\\[\\\\][^\\s~^:?*\\[\\\\]*$',
    normalise: (text) => (isBranchName(text) ? text : null),
  },
  folder: {
    expected: 'a folder inside the repository, such as . or factories/payments',
    pattern: '^[^/]',
    normalise: normaliseFolder,
  },
} as const satisfies Readonly<Record<string, FormatRule>>;

export type TextFormat = keyof typeof TEXT_FORMATS;

function normaliseBaseUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return isPlain ? `${url.origin}${url.pathname}`.replace(/\/+$/, '') : null;
}

/** As written: for the receiver, a slash at the end may be a different URL. */
function normaliseHttpUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { username, password } = new URL(text);
  return username === '' && password === '' ? text : null;
}

function isAddressOrSubnet(text: string): boolean {
  const [address = '', bits] = text.split('/');
  const version = isIP(address);
  return version !== 0 && (bits === undefined || Number(bits) <= (version === 4 ? 32 : 128));
}

/** The rules of git-check-ref-format that the pattern does not contain. */
function isBranchName(text: string): boolean {
  const isInvalid =
    /[\p{Cc}]|\.\.|@\{|\/\/|\/\.|\/$|\.$|\.lock(\/|$)/u.test(text) || text.startsWith('.') || text === '@';
  return !isInvalid;
}

function normaliseFolder(text: string): string | null {
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..') || /\p{Cc}/u.test(text)) return null;
  return segments.length === 0 ? '.' : segments.join('/');
}
