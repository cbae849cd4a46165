import type { RequestPlace, Scheme } from '../scheme.ts';
import type { SignedRequest } from '../verification.ts';
import { readPlace } from './request-parts.ts';

/** Reads the provider's ID of a delivery as received; `null` if the request has none. */
export type ReadClaimedIdentity = (request: SignedRequest) => string | null;

/**
 * Compiles the lookup of the ID that a rejected request claims to have. It is only for display. Anybody can send it, so it
 * must never decide whether a delivery is new.
 */
export function compileClaimedIdentity(scheme: Scheme): ReadClaimedIdentity {
  const places = listIdentityPlaces(scheme).map((place) =>
    place.in === 'header' ? { ...place, name: place.name.toLowerCase() } : place,
  );
  return (request) => {
    for (const place of places) {
      const claimed = readPlace(request, place);
      if (claimed !== undefined && claimed !== '') return claimed;
    }
    return null;
  };
}

function listIdentityPlaces(scheme: Scheme): RequestPlace[] {
  if (scheme.family === 'token') return scheme.identity === null ? [] : [{ in: 'header', name: scheme.identity }];
  if (scheme.family === 'special') return scheme.identity === null ? [] : [{ in: 'json', path: scheme.identity }];
  return scheme.headers.flatMap(({ identity, fallbackIdentity }) =>
    [identity, fallbackIdentity].filter((place) => place !== null),
  );
}
