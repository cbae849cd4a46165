import type { IngressAnswer } from './answers.ts';
import * as answers from './answers.ts';

/**
 * Rejects requests that the parser of Node accepts but RFC 9112 does not. These are a second `Host` (section 3.2),
 * which a proxy may read differently, and a transfer coding other than `chunked` (section 6.1), which would not be
 * decoded.
 *
 * @param raw name, value, name, value, as in `node:http`
 */
export function checkFraming(raw: readonly string[]): IngressAnswer | null {
  if (findAll(raw, 'host').length > 1) return answers.SEVERAL_HOSTS;
  const codings = findAll(raw, 'transfer-encoding');
  const isKnown = codings.length === 0 || (codings.length === 1 && codings[0]!.toLowerCase() === 'chunked');
  return isKnown ? null : answers.UNKNOWN_TRANSFER_CODING;
}

function findAll(raw: readonly string[], lowercaseName: string): string[] {
  const values: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!;
    if (name.length === lowercaseName.length && name.toLowerCase() === lowercaseName) values.push(raw[i + 1]!);
  }
  return values;
}
