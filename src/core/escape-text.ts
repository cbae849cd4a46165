// Control characters, and the format characters that reorder or hide text. Names, files and bodies come from strangers;
// a terminal must show them, not obey them (threat model W6).
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;
const UNSAFE_EXCEPT_LAYOUT = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;
const SHORT_FORMS: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** One line of text with everything a terminal would obey written out, for example `\x1b` or `\u{202e}`. */
export function escapeText(text: string): string {
  return text.replace(UNSAFE, writeOut);
}

/** As `escapeText`, but line feeds and tabs stay, for texts of several lines. */
export function escapeLines(text: string): string {
  return text.replace(UNSAFE_EXCEPT_LAYOUT, writeOut);
}

function writeOut(character: string): string {
  const short = SHORT_FORMS[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0)!;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}
