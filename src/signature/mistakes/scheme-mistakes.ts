import type { Scheme, TokenScheme } from '../scheme.ts';
import { SCHEMES } from '../schemes.ts';
import type { Mistake, Suspect, Variant } from './mistake.ts';

/** What `authMode: token` checks, as a row: a webhook without a scheme is diagnosed by the same rules. */
export const BEARER: TokenScheme = {
  ...{ family: 'token', name: 'token', title: 'Bearer token', places: [{ in: 'bearer' }], identity: null },
  ...{ whenSecretIsIssued: 'user', canGenerateSecret: true, documentation: '', refusedSecrets: [] },
};

/** The whole table, except what cannot be checked without asking the network. */
const CANDIDATES: readonly Scheme[] = [BEARER, ...SCHEMES.filter((scheme) => scheme.name !== 'sns')];

/** The provider is another one than the definition says. */
export const SCHEME_MISTAKES: readonly Mistake[] = [
  { id: 'wrong_scheme', tried: 'every other scheme of the table', vary: varyScheme },
];

function* varyScheme({ scheme: current }: Suspect): Iterable<Variant> {
  for (const scheme of CANDIDATES) {
    if (scheme.name === current.name) continue;
    yield {
      scheme,
      sentence: `The request is good under ${nameOf(scheme)}, not under ${nameOf(current)}: write ${settingOf(scheme)} in the definition of the webhook.`,
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
