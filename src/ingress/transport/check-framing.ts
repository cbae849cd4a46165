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
  let hosts = 0;
  let codings = 0;
  let isKnown = true;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!;
    if (isNamed(name, 'host')) hosts += 1;
    else if (isNamed(name, 'transfer-encoding')) {
      codings += 1;
      isKnown &&= raw[i + 1]!.toLowerCase() === 'chunked';
    }
  }
  if (hosts > 1) return answers.SEVERAL_HOSTS;
  return isKnown && codings <= 1 ? null : answers.UNKNOWN_TRANSFER_CODING;
}

function isNamed(name: string, lowercaseName: string): boolean {
  return name.length === lowercaseName.length && name.toLowerCase() === lowercaseName;
}
