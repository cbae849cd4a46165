import { describe, expect, it } from 'vitest';
import { escapeText as escapeInTerminal, escapeLines as escapeLinesInTerminal } from '../../../core/escape-text.ts';
import { escapeText, splitText } from './escape-text.ts';

const SAMPLES = ['plain', 'a\nb\tc\r', '\u001b[31mred', 'abc\u202egnp.exe', '\ud800', 'emoji 👩‍🚀', '\u2028', ''];

describe('text of strangers', () => {
  it.each(SAMPLES)('is written out as the command line writes it: %j', (text) => {
    expect(escapeText(text)).toBe(escapeInTerminal(text));
    const lines = splitText(text, true).map((piece) => piece.text);
    expect(lines.join('')).toBe(escapeLinesInTerminal(text));
  });

  it('is cut so that only what was written out is marked', () => {
    expect(splitText('a\u202eb')).toEqual([
      { text: 'a', isWrittenOut: false },
      { text: '\\u{202e}', isWrittenOut: true },
      { text: 'b', isWrittenOut: false },
    ]);
  });
});
