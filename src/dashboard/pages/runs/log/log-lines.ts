import { type StyledLine, TerminalText } from '../../../../words/terminal-text.ts';

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
}

/** The output of a run as growing lines. Chunks may end within a character. */
export class LogLines {
  readonly #decoder = new TextDecoder('utf-8');
  readonly #terminal = new TerminalText();
  #closed: LogBlock[] = [];
  #open: StyledLine[] = [];
  #openWeight = 0;
  #openFirst = 1;

  append(bytes: Uint8Array): void {
    for (const line of this.#terminal.write(this.#decoder.decode(bytes, { stream: true }))) {
      this.#open.push(line);
      this.#openWeight += line.reduce((sum, { text }) => sum + text.length + PART_WEIGHT, 0);
      if (this.#open.length >= BLOCK_LINES || this.#openWeight >= BLOCK_WEIGHT) this.#closeBlock();
    }
    if (this.#closed.length > MAX_BLOCKS) this.#closed = this.#closed.slice(-MAX_BLOCKS);
  }

  /** Oldest first. The last one may change. Empty if there is no output. */
  get blocks(): readonly LogBlock[] {
    const { openLine } = this.#terminal;
    const lines = openLine.length === 0 ? this.#open : [...this.#open, openLine];
    return lines.length === 0 ? [...this.#closed] : [...this.#closed, { first: this.#openFirst, lines: [...lines] }];
  }

  #closeBlock(): void {
    this.#closed.push({ first: this.#openFirst, lines: this.#open });
    this.#openFirst += this.#open.length;
    this.#open = [];
    this.#openWeight = 0;
  }
}
