// Names, ids, bodies and logs come from strangers. React shows them as text; what would still reorder or hide parts of
// that text is written out, as the command line does it (src/core/escape-text.ts; a test compares the two).
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;
const SHORT_FORMS: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const LAYOUT = new Set(['\n', '\t']);

/** A piece of a stranger's text: as it came, or written out. */
export interface TextPiece {
  text: string;
  isWrittenOut: boolean;
}

/** @param keepLayout line feeds and tabs stay, for texts of several lines */
export function splitText(text: string, keepLayout = false): TextPiece[] {
  const pieces: TextPiece[] = [];
  for (const character of text) {
    const isWrittenOut = UNSAFE.test(character) && !(keepLayout && LAYOUT.has(character));
    const last = pieces.at(-1);
    const shown = isWrittenOut ? writeOut(character) : character;
    if (last?.isWrittenOut === isWrittenOut) last.text += shown;
    else pieces.push({ text: shown, isWrittenOut });
  }
  return pieces;
}

/** One line of text, for attributes and messages that cannot mark what was written out. */
export function escapeText(text: string): string {
  return splitText(text)
    .map((piece) => piece.text)
    .join('');
}

function writeOut(character: string): string {
  const short = SHORT_FORMS[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0)!;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
