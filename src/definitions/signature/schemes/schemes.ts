import type { RequestPlace, Scheme } from '../scheme.ts';
import { NETLIFY } from '../special/netlify.ts';
import { SNS } from '../special/sns.ts';
import { TWILIO } from '../special/twilio.ts';
import { BODY_DIGESTS } from './body-digests.ts';
import { PUBLIC_KEYS } from './public-keys.ts';
import { STAMPED_DIGESTS } from './stamped-digests.ts';
import { TOKENS } from './tokens.ts';

const byName = (a: Scheme, b: Scheme) => (a.name < b.name ? -1 : 1);

/** The table of schemes, in the order of names. A new provider is a row of a family, its vectors and its guide. */
export const SCHEMES: readonly Scheme[] = [
  ...BODY_DIGESTS,
  ...STAMPED_DIGESTS,
  ...PUBLIC_KEYS,
  ...TOKENS,
  NETLIFY,
  SNS,
  TWILIO,
].sort(byName);

/** Names of all schemes, in the order of the table. */
export const SCHEME_NAMES: readonly string[] = SCHEMES.map((scheme) => scheme.name);

const BY_NAME: ReadonlyMap<string, Scheme> = new Map(SCHEMES.map((scheme) => [scheme.name, scheme]));

/** The scheme of that name, compared exactly. */
export function findScheme(name: string): Scheme | undefined {
  return BY_NAME.get(name);
}

/** What identifies a delivery under a scheme: headers, or values of the body as `body a.b`. */
export function listIdentities(scheme: Scheme): string[] {
  const inPayload = scheme.eventId === undefined ? [] : [`body ${scheme.eventId.path.join('.')}`];
  return [...inPayload, ...listVerifiedIdentities(scheme)];
}

/** Those that the check of the signature or token reads. */
function listVerifiedIdentities(scheme: Scheme): string[] {
  if (scheme.family === 'token') return scheme.identity === null ? [] : [scheme.identity];
  if (scheme.family === 'special') {
    return scheme.identity === null ? [] : [`body ${scheme.identity.join('.')}`];
  }
  return scheme.headers.flatMap(({ identity, fallbackIdentity }) =>
    [identity, fallbackIdentity].flatMap((place) => (place === null ? [] : [describePlace(place)])),
  );
}

/** The fields of a form that the signature covers; `null` if it covers the whole body, or no field. */
export function listSignedFields(scheme: Scheme): string[] | null {
  if (scheme.family !== 'signature' || scheme.content.some(({ part }) => part === 'body')) return null;
  const fields = scheme.content.flatMap((part) => (part.part === 'form_field' ? [part.name] : []));
  return fields.length === 0 ? null : fields;
}

/** The headers, in lowercase, that say what a delivery of the scheme is: the name of the event, its ID, and what is required. */
export function listDescribingHeaders(scheme: Scheme): string[] {
  const required = scheme.family === 'signature' ? scheme.headers.flatMap((family) => family.required) : [];
  const identities = listIdentities(scheme).filter((place) => !place.startsWith('body '));
  const event = scheme.event?.header;
  const names = [...(event === undefined ? [] : [event]), ...identities, ...required];
  return [...new Set(names.map((name) => name.toLowerCase()))];
}

/** The locations of the signature or the token: headers, or values of the body as `body a.b`. */
export function listCredentialPlaces(scheme: Scheme): string[] {
  if (scheme.family === 'special') return [describePlace(scheme.signature)];
  if (scheme.family === 'signature') return scheme.headers.flatMap((family) => family.signatures.map(describePlace));
  const places = scheme.places.map((place) =>
    place.in === 'header'
      ? place.name
      : place.in === 'json_list'
        ? `body ${place.list}[].${place.key}`
        : 'Authorization',
  );
  return [...new Set(places)];
}

function describePlace(place: RequestPlace): string {
  return place.in === 'header' ? place.name : `body ${place.path.join('.')}`;
}
