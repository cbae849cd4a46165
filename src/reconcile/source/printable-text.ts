import { escapeText } from '../../domain/words/escape-text.ts';

const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Does the text contain characters that could start a line, move a cursor or change the reading direction? */
export function hasUnprintable(text: string): boolean {
  return UNPRINTABLE.test(text);
}

/** A text in double quotes, in which nothing can start a new line or be invisible (threat model W6). */
export function quote(text: string): string {
  return `"${escapeText(text.replace(/["\\]/g, '\\$&'))}"`;
}

/** Bytes that are not valid UTF-8, in double quotes, with everything except printable ASCII as `\xNN`. */
export function quoteBytes(bytes: Uint8Array): string {
  const parts = Array.from(bytes, (byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`,
  );
  return `"${parts.join('')}"`;
}
