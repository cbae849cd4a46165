import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../test/helpers/any-text.ts';
import type { CliOutput } from '../context.ts';
import { createLogPrinter } from './log-printer.ts';

interface Screen {
  isTTY?: boolean;
  env?: Record<string, string>;
}

interface Prefixed {
  prefix?: (lineOffset: number) => string;
}

function print(
  chunks: readonly (string | Uint8Array)[],
  { isTTY = true, env = {}, prefix }: Screen & Prefixed = {},
): string {
  const written: Uint8Array[] = [];
  const stdout = { isTTY } as CliOutput;
  const printer = createLogPrinter({ stdout, env }, (bytes) => void written.push(bytes), prefix);
  for (const chunk of chunks) printer(Buffer.from(chunk));
  return Buffer.concat(written).toString('utf8');
}

const ESC = '\x1b';
const HOSTILE = `${ESC}[31mred${ESC}[0m ${ESC}]0;title\x07${ESC}]8;;https://evil.example\x07link${ESC}]8;;\x07${ESC}[2J\x07\n`;

describe('the log on a terminal', () => {
  it('keeps colors, and nothing else of the control sequences', () => {
    expect(print([HOSTILE])).toBe(`${ESC}[31mred${ESC}[0m link\\x07\n`);
  });

  it.each<[string, Screen]>([
    ['NO_COLOR is set', { env: { NO_COLOR: '1' } }],
    ['FORCE_COLOR is 0', { env: { FORCE_COLOR: '0' } }],
    ['the terminal is dumb', { env: { TERM: 'dumb' } }],
  ])('is plain text if %s', (_, screen) => {
    expect(print([HOSTILE], screen)).toBe('red link\\x07\n');
  });

  it.each<Record<string, string>>([{}, { FORCE_COLOR: '1' }])('is the exact bytes in a pipe: %j', (env) => {
    expect(print([HOSTILE], { isTTY: false, env })).toBe(HOSTILE);
  });

  it.each([
    [`${ESC}[1;4;95;48;5;2mx${ESC}[0m`, `${ESC}[1;4;95;42mx${ESC}[0m`],
    [`${ESC}[38;2;1;2;3mx`, `${ESC}[38;2;1;2;3mx${ESC}[0m`],
    [`${ESC}[8mhidden`, 'hidden'],
    ['a\tb\r\n', 'a\tb\n'],
    ['10%\r100%\n', '100%\n'],
    ['\u202eabc', '\\u{202e}abc'],
    ['\x9b31mabc', '\\x9b31mabc'],
  ])('prints %j as %j', (output, shown) => {
    expect(print([output])).toBe(shown);
  });

  it('continues a line that was printed in part', () => {
    expect(print(['Continue? ', 'yes\n', `${ESC}[32mgr`, 'een\n'])).toBe(
      `Continue? yes\n${ESC}[32mgr${ESC}[0m${ESC}[32meen${ESC}[0m\n`,
    );
  });

  it('prints a line again if later output overwrites it', () => {
    expect(print(['10%', '\r50%', '\r100%\n', 'done\n'])).toBe('10%\n50%\n100%\ndone\n');
  });

  it('decodes characters that are split between chunks', () => {
    const bytes = Buffer.from('✓\n');
    expect(print([bytes.subarray(0, 1), bytes.subarray(1)])).toBe('✓\n');
  });

  it.each([true, false])('prints a prefix before each line, with the offset of the line (terminal: %s)', (isTTY) => {
    const prefix = (offset: number) => `<${offset}> `;
    expect(print(['é\n\nun', 'finished\nlast', ' line'], { isTTY, prefix })).toBe(
      '<0> é\n<3> \n<4> unfinished\n<15> last line',
    );
  });

  it('prints the prefix again if a line is printed again', () => {
    const prefix = (offset: number) => `<${offset}> `;
    expect(print(['a\n10%', '\r50%\n'], { prefix })).toBe('<0> a\n<2> 10%\n<2> 50%\n');
    expect(print(['a\n10%', '\r50%\n'], { isTTY: false, prefix })).toBe('<0> a\n<2> 10%\r50%\n');
  });

  const pieces = fc.oneof(
    fc.constantFrom(
      ESC,
      `${ESC}[`,
      `${ESC}]`,
      '31',
      'm',
      ';',
      '2J',
      '\x07',
      '\r',
      '\n',
      '\b',
      '\x9b',
      `${ESC}\\`,
      '\x00',
      '\u202e',
    ),
    anyText({ maxLength: 4 }),
  );
  const chunks = fc.array(
    fc.array(pieces, { maxLength: 20 }).map((parts) => parts.join('')),
    { maxLength: 4 },
  );

  it('never prints a control character but those of colors, tabs and line breaks', () => {
    fc.assert(
      fc.property(chunks, (output) => {
        const shown = print(output).replaceAll(/\x1b\[[0-9;]*m/g, '');
        expect(shown).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}]/u);
        expect(print(output, { env: { NO_COLOR: '1' } })).toBe(shown);
      }),
      { numRuns: 1_000 },
    );
  });

  it('ends every color on its line', () => {
    fc.assert(
      fc.property(chunks, (output) => {
        for (const line of print(output).split('\n')) {
          const codes = line.match(/\x1b\[[0-9;]*m/g) ?? [];
          expect(codes.length % 2).toBe(0);
          expect(codes.filter((_, i) => i % 2 === 1).every((code) => code === `${ESC}[0m`)).toBe(true);
        }
      }),
    );
  });
});
