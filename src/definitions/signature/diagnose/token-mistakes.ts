import type { TokenPlace } from '../scheme.ts';
import { listCredentialPlaces } from '../schemes/schemes.ts';
import { type DiagnosedRequest, type Mistake, mapHeaders, type SchemeVariant } from './mistake.ts';

/** Mistakes in the form and the location of a token. */
export const TOKEN_MISTAKES: readonly Mistake[] = [
  {
    id: 'token_prefix',
    tried: 'the token with and without `Bearer`, as `Basic` or one half of it, and with extra characters around it',
    vary: varyTokenPlace,
  },
  { id: 'token_header', tried: 'the token in headers that other senders use', vary: varyTokenHeader },
];

const AUTHORIZATION: TokenPlace = { in: 'header', name: 'Authorization' };

function* varyTokenPlace({ scheme, headers }: DiagnosedRequest): Iterable<SchemeVariant> {
  if (scheme.family !== 'token') return;
  const how = describePlace(scheme.places[0]);
  const bare = `The token is correct, but \`Authorization\` contains it without \`Bearer\` or \`Basic\`: make the sender send ${how}.`;
  const ways = [
    { place: AUTHORIZATION, sentence: bare },
    {
      place: { in: 'bearer' },
      sentence: `The token is correct, but it was sent as \`Authorization: Bearer …\`: make the sender send ${how}.`,
    },
    {
      place: { in: 'basic' },
      sentence: `The token is correct, but it was sent as \`Authorization: Basic …\`: make the sender send ${how}.`,
    },
  ] as const;
  for (const { place, sentence } of ways) yield { scheme: { ...scheme, places: [place] }, sentence };
  const names = listCredentialPlaces(scheme).map((name) => name.toLowerCase());
  const plain = asPlainHeaders(scheme.places, scheme);
  const padded = `The token is correct, but it is surrounded by extra characters: make the sender send ${how}.`;
  yield { headers: mapHeaders(headers, names, stripAround), scheme: plain, sentence: padded };
  const half = `The token is correct, but it was sent as one half of \`Authorization: Basic …\`: make the sender send ${how}.`;
  for (const at of [0, 1] as const) {
    yield { headers: mapHeaders(headers, names, (value) => takeHalf(value, at)), scheme: plain, sentence: half };
  }
}

/** Removes a repeated word, quotes, and the brackets of a copied example. */
function stripAround(value: string): string {
  const bare = value.replace(/^(?:(?:bearer|token|basic)[ :=]+)+/i, '');
  return bare.replace(/^["'`<{](.*)["'`>}]$/s, '$1').replace(/(?:\\r)?\\n$/, '');
}

/** User (0) or password (1) of `Basic`; another value is returned unchanged. */
function takeHalf(value: string, at: 0 | 1): string {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(value)?.[1];
  if (encoded === undefined) return value;
  const text = Buffer.from(encoded, 'base64').toString('latin1');
  if (!text.includes(':')) return text;
  // A token may contain colons. If it is the user, the password is usually empty.
  return at === 0 ? text.slice(0, text.lastIndexOf(':')) : text.slice(text.indexOf(':') + 1);
}

/** Headers in which senders that do not use `Authorization` send a token. */
const OTHER_HEADERS = [
  'X-Api-Key',
  'Api-Key',
  'X-Auth-Token',
  'X-Token',
  'X-Webhook-Token',
  'X-Webhook-Secret',
  'Token',
];

function* varyTokenHeader({ scheme }: DiagnosedRequest): Iterable<SchemeVariant> {
  if (scheme.family !== 'token') return;
  for (const name of OTHER_HEADERS) {
    const sentence = `The token is correct, but the header \`${name}\` contains it: make the sender send ${describePlace(scheme.places[0])}.`;
    yield { scheme: { ...scheme, places: [{ in: 'header', name }] }, sentence };
  }
}

function asPlainHeaders<T extends { places: readonly [TokenPlace, ...TokenPlace[]] }>(
  places: readonly TokenPlace[],
  scheme: T,
): T {
  const [first = AUTHORIZATION, ...others] = places.filter((place) => place.in === 'header');
  return { ...scheme, places: [first, ...others] };
}

/** The form of a token at this location, for people. */
export function describePlace(place: TokenPlace): string {
  if (place.in === 'header') return `the bare token as the value of \`${place.name}\``;
  if (place.in === 'bearer') return '`Authorization: Bearer` and the token';
  if (place.in === 'basic') return '`Authorization: Basic` and the base64 of `user:password`';
  return `the token as \`${place.key}\` of every entry of \`${place.list}\``;
}
