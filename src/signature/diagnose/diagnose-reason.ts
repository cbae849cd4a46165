import { AUTH_REASONS, type AuthReason } from '../auth-reasons.ts';
import type { Scheme } from '../scheme.ts';
import { listCredentialPlaces } from '../schemes/schemes.ts';

/** What to do about a reason that says it all; `null` where only the request itself could tell. */
const REMEDIES: Readonly<Record<AuthReason, string | null>> = {
  missing_credential: 'enter the secret at the sender, so that it sends {places}',
  malformed_credential: 'let the sender write {places} as the scheme prescribes',
  bad_credential: null,
  malformed_signature: 'check that the scheme is the one of this sender and that it writes {places} as that prescribes',
  bad_signature: null,
  missing_header: 'let no proxy take headers away, and check that the scheme is the one of this sender',
  missing_timestamp: 'let the sender send the moment of signing, or let no proxy take its header away',
  unexpected_header: 'let the sender sign as the scheme prescribes',
  missing_field: 'check that the scheme is the one of this sender',
  malformed_timestamp: 'let the sender write the moment of signing in the unit of the scheme',
  ambiguous_timestamp: 'let the sender send the moment of signing once, and let no proxy add a second',
  stale_timestamp: 'set the clocks by a time server, and let the sender sign anew whenever it sends again',
  future_timestamp: 'set the clocks of the sender and of this host by a time server',
  wrong_sender: 'store the name of the sender that the deliveries come from',
  untrusted_key: 'take it for forged unless the provider has announced another place for its keys',
};

/** One sentence from the reason of a rejection alone; `null` where the reason leaves the cause open. */
export function diagnoseReason(reason: string, detail: string | null, scheme: Scheme | null): string | null {
  if (!Object.hasOwn(REMEDIES, reason)) return null;
  const remedy = REMEDIES[reason as AuthReason];
  if (remedy === null) return null;
  const places = scheme === null ? 'its credential' : `\`${listCredentialPlaces(scheme).slice(0, 2).join('` or `')}\``;
  const what = AUTH_REASONS[reason as AuthReason].replace(/\.$/, '');
  const joint = what.includes(': ') ? ';' : ':';
  return `${what}${detail === null ? '' : ` (${detail})`}${joint} ${remedy.replace('{places}', places)}.`;
}
