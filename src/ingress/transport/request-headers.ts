import { type RequestHeaders, trimBlanks } from '../../domain/deliveries/headers.ts';

/** Header fields as received, in the order of the sender. */
export interface ReceivedHeaders extends RequestHeaders {
  /** Name, value, name, value. */
  readonly raw: readonly string[];
}

/**
 * Looks up header fields in the received list, which is faster than building an object of all fields.
 *
 * @param raw name, value, name, value, as in `node:http`
 */
export function createRequestHeaders(raw: readonly string[]): ReceivedHeaders {
  return new HeaderList(raw);
}

class HeaderList implements ReceivedHeaders {
  readonly raw: readonly string[];

  constructor(raw: readonly string[]) {
    this.raw = raw;
  }

  get(lowercaseName: string): string | undefined {
    const { raw } = this;
    let found: string | undefined;
    for (let i = 0; i < raw.length; i += 2) {
      const name = raw[i]!;
      if (name.length !== lowercaseName.length || name.toLowerCase() !== lowercaseName) continue;
      const value = trimBlanks(raw[i + 1]!);
      found = found === undefined ? value : `${found}, ${value}`;
    }
    return found;
  }
}
