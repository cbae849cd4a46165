import type { RequestHeaders } from '../core/headers.ts';

/** Header fields as they were received, in the order of the sender. */
export interface ReceivedHeaders extends RequestHeaders {
  /** Name, value, name, value. */
  readonly raw: readonly string[];
}

const WHITE_SPACE_AROUND = /^[ \t]+|[ \t]+$/g;

/**
 * Looks header fields up where they were received, instead of building an object of all of them first.
 *
 * @param raw name, value, name, value, as `node:http` gives them
 */
export function createRequestHeaders(raw: readonly string[]): ReceivedHeaders {
  return {
    raw,
    get(lowercaseName) {
      let found: string | undefined;
      for (let i = 0; i < raw.length; i += 2) {
        const name = raw[i]!;
        if (name.length !== lowercaseName.length || name.toLowerCase() !== lowercaseName) continue;
        const value = raw[i + 1]!.replace(WHITE_SPACE_AROUND, '');
        found = found === undefined ? value : `${found}, ${value}`;
      }
      return found;
    },
  };
}
