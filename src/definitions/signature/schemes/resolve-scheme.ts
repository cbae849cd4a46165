import { isJsonObject, type JsonObject } from '../../../domain/json.ts';
import type { Scheme, SchemeOptions, SignatureScheme, SpecialScheme } from '../scheme.ts';
import { CUSTOM, readCustomScheme } from './custom-scheme.ts';
import { header } from './parts.ts';
import { findScheme } from './schemes.ts';

/**
 * The scheme that a webhook names, with the settings of its `signature` block applied. `null` if no such scheme exists
 * or the block describes none.
 */
export function resolveScheme(name: string | null, settings: JsonObject | null): Scheme | null {
  if (name === CUSTOM) {
    const custom = settings === null ? null : readCustomScheme(settings);
    return custom?.ok ? custom.scheme : null;
  }
  const scheme = findScheme(name ?? '');
  if (scheme === undefined) return null;
  if (settings === null || scheme.family !== 'signature' || scheme.options === null) return scheme;
  return applyOptions(scheme, scheme.options, settings);
}

/** Applies what the provider lets its users choose. Such schemes have one family of headers. */
function applyOptions(scheme: SignatureScheme, options: SchemeOptions, settings: JsonObject): SignatureScheme {
  const [family] = scheme.headers;
  const { header: name, timestamp } = settings;
  const stampedIn = isJsonObject(timestamp) ? timestamp.header : undefined;
  const renamed = typeof name === 'string' ? { ...family, signatures: [header(name)] as const } : family;
  if (typeof stampedIn !== 'string') return { ...scheme, headers: [renamed] };
  return { ...scheme, ...options.timestampHeader, headers: [{ ...renamed, timestamp: stampedIn }] };
}

/** A scheme as it can be sent to another thread. Functions cannot, so a special scheme is sent as its name. */
export type PortableScheme = Exclude<Scheme, SpecialScheme> | SpecialScheme['name'];

export function packScheme(scheme: Scheme): PortableScheme {
  return scheme.family === 'special' ? scheme.name : scheme;
}

/** Throws for a name that is not in the table. */
export function unpackScheme(packed: PortableScheme): Scheme {
  const scheme = typeof packed === 'string' ? findScheme(packed) : packed;
  if (scheme === undefined) throw new Error(`unknown signature scheme ${JSON.stringify(packed)}`);
  return scheme;
}
