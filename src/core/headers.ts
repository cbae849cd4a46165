/**
 * Header fields of a received request. Looked up by lowercase name among the fields that were really sent, so that
 * names such as `__proto__` find nothing (threat model N10).
 */
export interface RequestHeaders {
  /**
   * The value with outer white space trimmed; repeated fields are joined by `, ` (RFC 9110, section 5.3).
   * `undefined` where the field is absent. Bytes over 0x7f are one character each (Latin-1), as received.
   */
  get(lowercaseName: string): string | undefined;
}

/**
 * Removes spaces and tabs, the white space of HTTP, from both ends. A loop instead of `/[ \t]+$/`: the expression takes
 * quadratic time for a run of blanks inside a value, and anybody can send one.
 */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
