import type { RequestHeaders } from '../../../domain/deliveries/headers.ts';
import type { Scheme, TokenScheme } from '../scheme.ts';
import { UNDOCUMENTED } from '../schemes/parts.ts';
import { listCredentialPlaces, SCHEMES } from '../schemes/schemes.ts';
import type { DiagnosedRequest, Mistake, SchemeVariant } from './mistake.ts';

/** What `authMode: token` checks, as a row, so that a webhook without a scheme is diagnosed by the same rules. */
export const BEARER: TokenScheme = {
  family: 'token',
  name: 'token',
  title: 'Bearer token',
  places: [{ in: 'bearer' }],
  identity: null,
  whenSecretIsIssued: 'user',
  canGenerateSecret: true,
  documentation: '',
  rejectedSecrets: [],
  retries: UNDOCUMENTED,
};

/** The whole table, except schemes that cannot be checked without the network. */
const CANDIDATES: readonly Scheme[] = [BEARER, ...SCHEMES.filter((scheme) => !needsCertificate(scheme))];

/** The sender is not the provider that the definition names. */
export const SCHEME_MISTAKES: readonly Mistake[] = [
  { id: 'wrong_scheme', tried: 'every other scheme of the table', vary: varyScheme },
  { id: 'other_sender', tried: 'the signature header of another scheme', vary: varySender },
];

function* varyScheme({ scheme: current }: DiagnosedRequest): Iterable<SchemeVariant> {
  for (const scheme of CANDIDATES) {
    if (scheme.name === current.name) continue;
    yield {
      scheme,
      sentence: `The request is valid under ${nameOf(scheme)}, not under ${nameOf(current)}: write ${settingOf(scheme)} in the definition of the webhook.`,
    };
  }
}

function nameOf(scheme: Scheme): string {
  return scheme.name === BEARER.name ? '`authMode: token`' : `the scheme \`${scheme.name}\``;
}

function settingOf(scheme: Scheme): string {
  return scheme.name === BEARER.name
    ? '`authMode: token`'
    : `\`authMode: signature\` and \`signatureScheme: ${scheme.name}\``;
}

const MAX_NAMED = 4;

/** The request has no credential of the scheme, but one of another scheme that does not match the secret. */
function* varySender({ scheme: current, headers }: DiagnosedRequest): Iterable<SchemeVariant> {
  if (listHeaders(current).some((name) => isPresent(headers, name))) return;
  const header = CANDIDATES.flatMap(listHeaders).find((name) => isPresent(headers, name));
  if (header === undefined || needsCertificate(current)) return;
  const schemes = CANDIDATES.filter((scheme) => listHeaders(scheme).includes(header)).map(({ name }) => `\`${name}\``);
  const named = `${schemes.slice(0, MAX_NAMED).join(' or ')}${schemes.length > MAX_NAMED ? ' or another' : ''}`;
  const sentence = `The request is from another sender: it has the header \`${header}\` of the scheme ${named} and none of ${nameOf(current)}, so give each sender the URL of a separate webhook, or change the scheme and the secret of this webhook to those of the sender.`;
  yield { isProven: true, sentence };
}

/** Headers that carry a credential, without `Authorization`, which does not identify the sender. */
function listHeaders(scheme: Scheme): string[] {
  return listCredentialPlaces(scheme).filter((name) => name !== 'Authorization' && !name.startsWith('body '));
}

function needsCertificate(scheme: Scheme): boolean {
  return scheme.family === 'special' && scheme.needsCertificate;
}

function isPresent(headers: RequestHeaders, name: string): boolean {
  return (headers.get(name.toLowerCase()) ?? '') !== '';
}
