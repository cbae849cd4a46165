// Control characters, and the format characters that reorder or hide text. Names, files and bodies are untrusted:
// terminals, logs and pages must show such characters and not act on them (threat model W6).
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;
const EVERY_UNSAFE = new RegExp(UNSAFE, 'gu');
const UNSAFE_EXCEPT_LAYOUT = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;
const SHORT_FORMS: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const LAYOUT = new Set(['\n', '\t']);

/** One line of text with every unsafe character escaped, for example `\x1b` or `\u{202e}`. */
export function escapeText(text: string): string {
  return text.replace(EVERY_UNSAFE, escapeCharacter);
}

/** As `escapeText`, but line feeds and tabs stay, for texts of several lines. */
export function escapeLines(text: string): string {
  return text.replace(UNSAFE_EXCEPT_LAYOUT, escapeCharacter);
}

/** A part of a text: unchanged, or escaped. */
interface TextPiece {
  text: string;
  isEscaped: boolean;
}

/**
 * The text in pieces, so that a page can mark the escaped ones.
 *
 * @param keepLayout line feeds and tabs stay, for texts of several lines
 */
export function splitText(text: string, keepLayout = false): TextPiece[] {
  const pieces: TextPiece[] = [];
  for (const character of text) {
    const isEscaped = UNSAFE.test(character) && !(keepLayout && LAYOUT.has(character));
    const last = pieces.at(-1);
    const shown = isEscaped ? escapeCharacter(character) : character;
    if (last?.isEscaped === isEscaped) last.text += shown;
    else pieces.push({ text: shown, isEscaped });
  }
  return pieces;
}

function escapeCharacter(character: string): string {
  const short = SHORT_FORMS[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0)!;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}

const ENTITIES: { [character: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** One line of XML text; `escapeText` writes out what XML 1.0 cannot hold, except for two that are not XML characters. */
export function escapeXml(text: string): string {
  const plain = escapeText(text).replace(
    /[\ufffe\uffff]/g,
    (character) => `\\u{${character.charCodeAt(0).toString(16)}}`,
  );
  return plain.replace(/[&<>"]/g, (character) => ENTITIES[character]!);
}

/** A text as one word of a POSIX shell. Words of letters, digits, `_`, `.`, `/` and `-` stay as they are. */
export function quoteForShell(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
