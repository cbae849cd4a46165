/**
 * Header fields of a received request. A lookup searches only the fields that were sent, so that names such as
 * `__proto__` find nothing (threat model N10).
 */
export interface RequestHeaders {
  /**
   * The trimmed value; repeated fields are joined by `, ` (RFC 9110, section 5.3). `undefined` if the field is absent.
   * Bytes over 0x7f are one character each (Latin-1), as received.
   */
  get(lowercaseName: string): string | undefined;
}

/**
 * Removes spaces and tabs, the white space of HTTP, from both ends. Uses a loop because `/[ \t]+$/` takes quadratic
 * time for many blanks inside a value, which any sender can send.
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
