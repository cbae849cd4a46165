/**
 * Maximum number of nested arrays and objects. Providers send less than 20, and the defaults of other parsers are 64 to
 * 1,000.
 */
export const MAX_JSON_DEPTH = 512;

/** Negative positions say why a value cannot be read: this one, and those of `invalidAt`. */
export const TOO_DEEP = -1;

/** The result for a document that is not valid JSON at a position. */
export function invalidAt(position: number): number {
  return TOO_DEEP - 1 - position;
}

/** The position that `invalidAt` was called with. */
export function positionOf(invalid: number): number {
  return TOO_DEEP - 1 - invalid;
}

const [TAB, LINE_FEED, CARRIAGE_RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20];
export const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
export const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [COLON, MINUS, PLUS, DOT, ZERO, NINE] = [0x3a, 0x2d, 0x2b, 0x2e, 0x30, 0x39];
const [SMALL_E, CAPITAL_E, SMALL_U] = [0x65, 0x45, 0x75];

const LITERALS = new Map(['true', 'false', 'null'].map((text) => [text.charCodeAt(0), Buffer.from(text)]));

/** 1 for the bytes that end a plain part of a string: the quote, the backslash and control characters. */
const ENDS_TEXT = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < SPACE || byte === QUOTE || byte === BACKSLASH ? 1 : 0,
);

const AFTER_BACKSLASH = new Set(Buffer.from('"\\/bfnrt'));

/** The open arrays and objects. One for all calls, because a call ends before the next begins. */
const closers = new Uint8Array(MAX_JSON_DEPTH + 1);

/** The position of the next byte that is not white space. */
export function skipSpace(bytes: Uint8Array, start: number): number {
  if (start < bytes.length && bytes[start]! > SPACE) return start;
  return skipSeveralSpaces(bytes, start);
}

function skipSeveralSpaces(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at]!;
    if (byte !== SPACE && byte !== LINE_FEED && byte !== CARRIAGE_RETURN && byte !== TAB) break;
    at += 1;
  }
  return at;
}

/**
 * Reads over a JSON value (RFC 8259) without building it. Uses a loop and not recursion, because the depth of a value is
 * chosen by the sender. UTF-8 is checked elsewhere.
 *
 * @param start the first byte of the value, not white space
 * @param depth number of arrays and objects around the value
 * @returns the position after the value, `TOO_DEEP` or that of `invalidAt`
 */
export function skipValue(bytes: Uint8Array, start: number, depth: number): number {
  const end = bytes.length;
  let at = start;
  let open = depth;
  for (;;) {
    const first = at < end ? bytes[at]! : 0;
    if (first === OPEN_OBJECT || first === OPEN_ARRAY) {
      if (open === MAX_JSON_DEPTH) return TOO_DEEP;
      const closer = first === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY;
      at = skipSpace(bytes, at + 1);
      if (at < end && bytes[at] === closer) at += 1;
      else {
        open += 1;
        closers[open] = closer;
        if (closer === CLOSE_OBJECT) at = skipKey(bytes, at);
        if (at < 0) return at;
        continue;
      }
    } else {
      at = skipScalar(bytes, at, first);
      if (at < 0) return at;
    }
    // After a value: close what ends here, until another value follows.
    for (;;) {
      if (open === depth) return at;
      at = skipSpace(bytes, at);
      const next = at < end ? bytes[at]! : 0;
      if (next === COMMA) {
        at = skipSpace(bytes, at + 1);
        if (closers[open] === CLOSE_OBJECT) at = skipKey(bytes, at);
        if (at < 0) return at;
        break;
      }
      if (next !== closers[open]) return invalidAt(at);
      at += 1;
      open -= 1;
    }
  }
}

/** Reads over a key and its colon; returns the position of the value. */
function skipKey(bytes: Uint8Array, start: number): number {
  if (start >= bytes.length || bytes[start] !== QUOTE) return invalidAt(start);
  const after = skipString(bytes, start);
  return after < 0 ? after : skipColon(bytes, after);
}

/** Returns the position of the value after a colon. */
export function skipColon(bytes: Uint8Array, start: number): number {
  const at = skipSpace(bytes, start);
  return at < bytes.length && bytes[at] === COLON ? skipSpace(bytes, at + 1) : invalidAt(at);
}

/** @param first the byte at `start` */
export function skipScalar(bytes: Uint8Array, start: number, first: number): number {
  if (first === QUOTE) return skipString(bytes, start);
  if (first === MINUS || (first >= ZERO && first <= NINE)) return skipNumber(bytes, start);
  const literal = LITERALS.get(first);
  if (literal === undefined) return invalidAt(start);
  for (let index = 1; index < literal.length; index += 1) {
    if (bytes[start + index] !== literal[index]) return invalidAt(start + index);
  }
  return start + literal.length;
}

/** @param start position of the opening quote */
export function skipString(bytes: Uint8Array, start: number): number {
  const end = bytes.length;
  let at = start + 1;
  for (;;) {
    // Four at a time takes half of the time.
    while (
      at + 3 < end &&
      (ENDS_TEXT[bytes[at]!]! |
        ENDS_TEXT[bytes[at + 1]!]! |
        ENDS_TEXT[bytes[at + 2]!]! |
        ENDS_TEXT[bytes[at + 3]!]!) ===
        0
    ) {
      at += 4;
    }
    while (at < end && ENDS_TEXT[bytes[at]!] === 0) at += 1;
    if (at >= end) return invalidAt(end);
    const byte = bytes[at]!;
    if (byte === QUOTE) return at + 1;
    if (byte !== BACKSLASH) return invalidAt(at);
    at = skipEscape(bytes, at);
    if (at < 0) return at;
  }
}

/** @param start position of the backslash */
function skipEscape(bytes: Uint8Array, start: number): number {
  if (start + 1 >= bytes.length) return invalidAt(bytes.length);
  const escaped = bytes[start + 1]!;
  if (AFTER_BACKSLASH.has(escaped)) return start + 2;
  if (escaped !== SMALL_U) return invalidAt(start + 1);
  for (let at = start + 2; at < start + 6; at += 1) {
    if (at >= bytes.length || !isHexDigit(bytes[at]!)) return invalidAt(at);
  }
  return start + 6;
}

function isHexDigit(byte: number): boolean {
  const lower = byte | 0x20;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66);
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function skipNumber(bytes: Uint8Array, start: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start;
  if (at < bytes.length && bytes[at] === ZERO) at += 1;
  else at = skipDigits(bytes, at);
  if (at >= 0 && at < bytes.length && bytes[at] === DOT) at = skipDigits(bytes, at + 1);
  if (at >= 0 && at < bytes.length && (bytes[at] === SMALL_E || bytes[at] === CAPITAL_E)) {
    at += 1;
    if (at < bytes.length && (bytes[at] === PLUS || bytes[at] === MINUS)) at += 1;
    at = skipDigits(bytes, at);
  }
  return at;
}

/** At least one digit. */
function skipDigits(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && isDigit(bytes[at]!)) at += 1;
  return at === start ? invalidAt(at) : at;
}
