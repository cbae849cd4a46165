import { isJsonObject } from '../../../domain/json.ts';
import type { SignedDelivery, UnsignedDelivery } from '../outgoing-delivery.ts';
import type { TokenPlace, TokenScheme } from '../scheme.ts';
import { encodeHeaderValue, parseObject } from '../sign/delivery-parts.ts';

/** Adds the token at the location that senders of the scheme use; of several, the one that the form of the secret fits. */
export function putToken(
  scheme: TokenScheme,
  secretText: string,
  { body, deliveryId, newId }: UnsignedDelivery,
): SignedDelivery {
  const headers: Record<string, string> = {};
  if (scheme.identity !== null) headers[scheme.identity] = encodeHeaderValue(scheme.identity, deliveryId ?? newId());
  const place = choosePlace(scheme, secretText);
  if (place.in === 'json_list') {
    return { headers, body: putIntoList(body, place.list, place.key, secretText), query: '' };
  }
  if (place.in === 'header') headers[place.name] = encodeHeaderValue(place.name, secretText);
  else if (place.in === 'bearer') headers.Authorization = `Bearer ${encodeHeaderValue('Authorization', secretText)}`;
  else headers.Authorization = `Basic ${Buffer.from(secretText, 'utf8').toString('base64')}`;
  return { headers, body, query: '' };
}

/** A whole value of `Authorization`, such as `Token abc`. */
const WHOLE_AUTHORIZATION = /^[A-Za-z][A-Za-z0-9-]* +\S/;

/** `user:password` is Basic, a token without a colon is Bearer, and a value with a scheme is sent unchanged. */
function choosePlace({ places }: TokenScheme, secretText: string): TokenPlace {
  const isWhole = places.some((place) => place.in === 'header') && WHOLE_AUTHORIZATION.test(secretText);
  const fits = (place: TokenPlace) => {
    if (place.in === 'basic') return !isWhole && secretText.includes(':');
    return place.in !== 'bearer' || !isWhole;
  };
  return places.find(fits) ?? places[0];
}

/** Adds the token to every object of the list; a body without the list becomes its only entry. */
function putIntoList(body: Uint8Array, list: string, key: string, token: string): Uint8Array {
  const root = parseObject(body);
  const entries = Object.hasOwn(root, list) ? root[list] : undefined;
  const objects = Array.isArray(entries) ? entries.filter(isJsonObject) : [root];
  const filled = { ...(Array.isArray(entries) ? root : {}), [list]: objects.map((one) => ({ ...one, [key]: token })) };
  return Buffer.from(JSON.stringify(filled));
}
