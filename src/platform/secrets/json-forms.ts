/** Longer values get only the form of `JSON.stringify`: the memory of the masker grows with the sum of all forms. */
const MAX_CHARACTERS_FOR_ALL = 4_096;

const NOTHING = /(?!)/u;

/** The characters that JSON libraries escape although JSON does not require it. */
const ESCAPED: readonly RegExp[] = [
  // JavaScript, and others in their strictest mode
  NOTHING,
  // PHP with JSON_UNESCAPED_UNICODE
  /\//u,
  // Python, Ruby
  /[^\0-\x7f]/u,
  // PHP
  /\/|[^\0-\x7f]/u,
  // Go
  /[<>&\u2028\u2029]/u,
  // Gson
  /[<>&'=\u2028\u2029]/u,
  // .NET
  /[<>&'"+`]|[^\0-\x7f]/u,
];

const HEX_CASES: readonly ((hex: string) => string)[] = [(hex) => hex, (hex) => hex.toUpperCase()];

/** A text as JSON libraries of several languages write it inside a string. */
export function* jsonFormsOf(text: string): Generator<string> {
  const escaped = text.length > MAX_CHARACTERS_FOR_ALL ? [NOTHING] : ESCAPED;
  for (const pattern of escaped) {
    for (const toCase of HEX_CASES) {
      yield text.replace(/./gsu, (character) =>
        pattern.test(character) ? escapeCharacter(character, toCase) : quote(character),
      );
    }
  }
}

function quote(character: string): string {
  return JSON.stringify(character).slice(1, -1);
}

/** A character beyond U+FFFF is a pair of escapes. */
function escapeCharacter(character: string, toCase: (hex: string) => string): string {
  if (character === '/') return '\\/';
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${toCase(unit.toString(16).padStart(4, '0'))}`).join('');
}
