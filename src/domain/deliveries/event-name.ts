/** Where a sender writes the name of an event: in a header, at a path of the payload, or in both. */
export interface EventPlace {
  /** In any letter case. */
  readonly header?: string;
  /** Names of object keys from the root of the body. */
  readonly path?: readonly string[];
}

/** Longer names are ignored. */
const MAX_NAME_LENGTH = 100;

/** Control characters, line breaks and invisible characters. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

/**
 * The name of an event: the value of the header, then the value in the payload, joined by a dot (`pull_request.opened`). A
 * value that is absent, empty, too long or unprintable is omitted. `null` if nothing remains.
 *
 * @param header as received
 * @param value of the payload
 */
export function composeEventName(header: string | undefined, value: unknown): string | null {
  const parts = [readPart(header), readPart(value)].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join('.');
}

function readPart(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return null;
  const text = value.trim();
  return text === '' || text.length > MAX_NAME_LENGTH || UNPRINTABLE.test(text) ? null : text;
}
