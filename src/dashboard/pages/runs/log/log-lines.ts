import { LogPieces } from '../../../../domain/words/log-times.ts';
import { type StyledLine, TerminalText } from '../../../../domain/words/terminal-text.ts';

/** Closed blocks are not rendered again, so that a long log stays fast. */
const BLOCK_LINES = 100;
const BLOCK_WEIGHT = 32_768;
/** Each part of a line is an element of the page, which costs as much as these characters. */
const PART_WEIGHT = 16;
/** Older lines are dropped: browsers limit the height of a page. */
const MAX_BLOCKS = 2_000;

/** Lines that are rendered together. A closed block stays the same object. */
export interface LogBlock {
  /** Number of the first line, beginning with 1. */
  first: number;
  lines: readonly StyledLine[];
  /** Where each line begins in the log. The parts of a long line have the same offset. */
  offsets: readonly number[];
}

/** The output of a run as growing lines. Chunks may end within a character. */
export class LogLines {
  readonly #pieces = new LogPieces();
  readonly #terminal = new TerminalText();
  #closed: LogBlock[] = [];
  #open: StyledLine[] = [];
  #openOffsets: number[] = [];
  /** Where the line begins that is not complete. */
  #lineOffset = 0;
  #openWeight = 0;
  #openFirst = 1;

  append(bytes: Uint8Array): void {
    for (const { text, lineOffset } of this.#pieces.split(bytes)) {
      for (const line of this.#terminal.write(text)) this.#add(line, lineOffset);
      this.#lineOffset = lineOffset;
    }
    if (this.#closed.length > MAX_BLOCKS) this.#closed = this.#closed.slice(-MAX_BLOCKS);
  }

  /** Oldest first. The last one may change. Empty if there is no output. */
  get blocks(): readonly LogBlock[] {
    const { openLine } = this.#terminal;
    const isOpen = openLine.length > 0;
    const lines = isOpen ? [...this.#open, openLine] : [...this.#open];
    const offsets = isOpen ? [...this.#openOffsets, this.#lineOffset] : [...this.#openOffsets];
    return lines.length === 0 ? [...this.#closed] : [...this.#closed, { first: this.#openFirst, lines, offsets }];
  }

  #add(line: StyledLine, lineOffset: number): void {
    this.#open.push(line);
    this.#openOffsets.push(lineOffset);
    this.#openWeight += line.reduce((sum, { text }) => sum + text.length + PART_WEIGHT, 0);
    if (this.#open.length >= BLOCK_LINES || this.#openWeight >= BLOCK_WEIGHT) this.#closeBlock();
  }

  #closeBlock(): void {
    this.#closed.push({ first: this.#openFirst, lines: this.#open, offsets: this.#openOffsets });
    this.#openFirst += this.#open.length;
    this.#open = [];
    this.#openOffsets = [];
    this.#openWeight = 0;
  }
}
