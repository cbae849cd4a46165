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
