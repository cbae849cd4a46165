import { escapeLines } from '../../domain/words/escape-text.ts';
import { LogPieces } from '../../domain/words/log-times.ts';
import {
  PLAIN,
  type StyledLine,
  TerminalText,
  type TextColor,
  type TextStyle,
  textOf,
} from '../../domain/words/terminal-text.ts';
import type { CliContext } from '../context.ts';
import { hasColors } from './colors.ts';

type Write = (bytes: Uint8Array) => void;
/** Text before the line that begins at this offset of the log. */
type Prefix = (lineOffset: number) => string;

/**
 * Prints the output of a run. Pipes and files get the exact bytes. A terminal gets text with colors, if it has colors: other
 * control sequences are removed, and control characters are escaped.
 *
 * @param prefix printed before each line
 */
export function createLogPrinter(
  { stdout, env }: Pick<CliContext, 'stdout' | 'env'>,
  write: Write,
  prefix: Prefix | null = null,
): Write {
  if (stdout.isTTY === true) return createTerminalPrinter(hasColors(stdout, env), write, prefix ?? (() => ''));
  return prefix === null ? write : createPrefixingPrinter(write, prefix);
}

function createTerminalPrinter(isColored: boolean, write: Write, prefix: Prefix): Write {
  const pieces = new LogPieces();
  const terminal = new TerminalText();
  let printed = '';
  /** The line, or its new part if the part before is on the screen already. */
  const renderNew = (line: StyledLine, lineOffset: number): string => {
    const text = textOf(line);
    if (printed === '') return prefix(lineOffset) + renderLine(line, isColored);
    if (text.startsWith(printed)) return renderLine(skipText(line, printed.length), isColored);
    // The cursor must not move, so the line that was overwritten stays and the new one follows.
    return `\n${prefix(lineOffset)}${renderLine(line, isColored)}`;
  };
  return (bytes) => {
    let shown = '';
    let openOffset = 0;
    for (const { text, lineOffset } of pieces.split(bytes)) {
      for (const line of terminal.write(text)) {
        shown += `${renderNew(line, lineOffset)}\n`;
        printed = '';
      }
      openOffset = lineOffset;
    }
    const { openLine } = terminal;
    if (textOf(openLine) !== printed) shown += renderNew(openLine, openOffset);
    printed = textOf(openLine);
    write(Buffer.from(shown));
  };
}

const LINE_FEED = 0x0a;

/** Keeps the bytes of the lines. */
function createPrefixingPrinter(write: Write, prefix: Prefix): Write {
  let offset = 0;
  let isInLine = false;
  return (bytes) => {
    const parts: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; ) {
      const lineFeed = bytes.indexOf(LINE_FEED, at);
      const end = lineFeed === -1 ? bytes.length : lineFeed + 1;
      if (!isInLine) parts.push(Buffer.from(prefix(offset + at)));
      parts.push(bytes.subarray(at, end));
      isInLine = lineFeed === -1;
      at = end;
    }
    offset += bytes.length;
    write(Buffer.concat(parts));
  };
}

function skipText(line: StyledLine, count: number): StyledLine {
  let rest = count;
  return line.flatMap(({ text, style }) => {
    const skipped = Math.min(rest, text.length);
    rest -= skipped;
    return skipped === text.length ? [] : [{ text: text.slice(skipped), style }];
  });
}

const RESET = '\x1b[0m';

function renderLine(line: StyledLine, isColored: boolean): string {
  return line.map(({ text, style }) => renderPart(escapeLines(text), isColored ? style : PLAIN)).join('');
}

function renderPart(text: string, style: TextStyle): string {
  const codes = listCodes(style);
  return codes.length === 0 ? text : `\x1b[${codes.join(';')}m${text}${RESET}`;
}

/** The SGR codes of the style, made here: nothing of the output becomes part of a sequence. */
function listCodes(style: TextStyle): string[] {
  const { foreground, background } = style;
  return [
    style.isBold ? '1' : null,
    style.isDim ? '2' : null,
    style.isItalic ? '3' : null,
    style.isUnderlined ? '4' : null,
    style.isInverse ? '7' : null,
    style.isStruck ? '9' : null,
    foreground === null ? null : codeOf(foreground, 30),
    background === null ? null : codeOf(background, 40),
  ].filter((code) => code !== null);
}

/** @param first code of the first color: 30 for the foreground, 40 for the background */
function codeOf(color: TextColor, first: 30 | 40): string {
  if (typeof color === 'number') return String(color < 8 ? first + color : first + 52 + color);
  const channels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return [first + 8, 2, ...channels].join(';');
}
