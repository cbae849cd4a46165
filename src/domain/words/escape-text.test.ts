import { describe, expect, it } from 'vitest';
import { escapeLines, escapeText, splitText } from './escape-text.ts';

describe('escapeText', () => {
  it.each([
    ['plain', 'plain'],
    ['a\nb\tc\r', 'a\\nb\\tc\\r'],
    ['\u001b[31mred', '\\x1b[31mred'],
    ['abc\u202egnp.exe', 'abc\\u{202e}gnp.exe'],
    ['\ud800', '\\u{d800}'],
    ['\u2028', '\\u{2028}'],
    ['', ''],
  ])('escapes %j', (text, escaped) => {
    expect(escapeText(text)).toBe(escaped);
  });

  it.each(['a\nb\tc\r', '\u001b[31mred', 'emoji 👩‍🚀', ''])(
    'splitText has the same text as escapeLines: %j',
    (text) => {
      const pieces = splitText(text, true).map((piece) => piece.text);
      expect(pieces.join('')).toBe(escapeLines(text));
    },
  );

  it('splitText marks only what was escaped', () => {
    expect(splitText('a\u202eb')).toEqual([
      { text: 'a', isEscaped: false },
      { text: '\\u{202e}', isEscaped: true },
      { text: 'b', isEscaped: false },
    ]);
  });
});
