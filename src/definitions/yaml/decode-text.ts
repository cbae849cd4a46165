import type { Position } from '../../domain/definitions/diagnostic.ts';

type DecodedText = { ok: true; text: string } | { ok: false; at: Position };

/** Bytes as UTF-8, without a byte order mark. For invalid UTF-8, the position of the first invalid byte. */
export function decodeText(bytes: Uint8Array): DecodedText {
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { ok: false, at: locateEnd(decodePrefix(bytes, findValidLength(bytes)) ?? '') };
  }
}

/** Length of the longest valid prefix. Found by bisection, because the decoder does not report a position. */
function findValidLength(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (decodePrefix(bytes, middle) === null) bad = middle;
    else good = middle;
  }
  return good;
}

/** `stream` accepts a character that is cut at the end; `null` if the prefix is invalid. */
function decodePrefix(bytes: Uint8Array, length: number): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
  } catch {
    return null;
  }
}

function locateEnd(text: string): Position {
  const lastBreak = text.lastIndexOf('\n');
  return { line: text.split('\n').length, column: text.length - lastBreak };
}
