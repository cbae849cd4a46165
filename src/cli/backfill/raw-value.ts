import {
  CLOSE_OBJECT,
  COMMA,
  OPEN_OBJECT,
  QUOTE,
  skipColon,
  skipSpace,
  skipString,
  skipValue,
} from '../../domain/payload/skip-json.ts';

/**
 * The text of a value of a JSON document as it is written there, without white space between its parts. Numbers and escapes stay,
 * which `JSON.parse` would lose. `null` if the document has no value at the path.
 */
export function readRawValue(document: Buffer, path: readonly string[]): string | null {
  let at = skipSpace(document, 0);
  for (const key of path) {
    const found = findKey(document, at, key);
    if (found === null) return null;
    at = found;
  }
  const end = skipValue(document, at, 0);
  return end < 0 ? null : removeSpace(document.toString('utf8', at, end));
}

/** The position of the value of a key; `null` if the value at `start` is not an object with this key. */
function findKey(bytes: Buffer, start: number, key: string): number | null {
  if (bytes[start] !== OPEN_OBJECT) return null;
  let at = skipSpace(bytes, start + 1);
  while (at < bytes.length && bytes[at] === QUOTE) {
    const afterKey = skipString(bytes, at);
    const value = afterKey < 0 ? afterKey : skipColon(bytes, afterKey);
    if (value < 0) return null;
    if (JSON.parse(bytes.toString('utf8', at, afterKey)) === key) return value;
    const end = skipValue(bytes, value, 1);
    if (end < 0) return null;
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE_OBJECT) return null;
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
  }
  return null;
}

const STRING_OR_SPACE = /"(?:[^"\\]|\\.)*"|[ \t\r\n]+/gs;

function removeSpace(json: string): string {
  return json.replace(STRING_OR_SPACE, (part) => (part.startsWith('"') ? part : ''));
}
