import { isJsonObject } from '../core/json.ts';
import { encodeHeaderValue } from './header-value.ts';
import type { TokenScheme } from './scheme.ts';
import { parseObject, type UnsignedDelivery } from './unsigned-delivery.ts';

/** A delivery with the token where senders of the scheme have it; of several places, the first. */
export function putToken(
  scheme: TokenScheme,
  secretText: string,
  { body, deliveryId, newId }: UnsignedDelivery,
): { headers: Record<string, string>; body: Uint8Array; query: string } {
  const headers: Record<string, string> = {};
  if (scheme.identity !== null) headers[scheme.identity] = encodeHeaderValue(scheme.identity, deliveryId ?? newId());
  const place = scheme.places[0];
  if (place.in === 'json_list') {
    return { headers, body: putIntoList(body, place.list, place.key, secretText), query: '' };
  }
  if (place.in === 'header') headers[place.name] = encodeHeaderValue(place.name, secretText);
  else if (place.in === 'bearer') headers.Authorization = `Bearer ${encodeHeaderValue('Authorization', secretText)}`;
  else headers.Authorization = `Basic ${Buffer.from(secretText, 'utf8').toString('base64')}`;
  return { headers, body, query: '' };
}

/** Every object of the list gets the token; a body without the list becomes its only entry. */
function putIntoList(body: Uint8Array, list: string, key: string, token: string): Uint8Array {
  const root = parseObject(body);
  const entries = Object.hasOwn(root, list) ? root[list] : undefined;
  const objects = Array.isArray(entries) ? entries.filter(isJsonObject) : [root];
  const filled = { ...(Array.isArray(entries) ? root : {}), [list]: objects.map((one) => ({ ...one, [key]: token })) };
  return Buffer.from(JSON.stringify(filled));
}
