import type { LogBlock } from './log-lines.ts';

/** A place of the searched text in a line of the log. */
export interface LogMatch {
  /** Number of the line. */
  line: number;
  /** Positions in the text of the line. */
  begin: number;
  end: number;
}

/** Matches in the order of the log, by block. */
export interface LogMatches {
  all: readonly LogMatch[];
  ofBlock: (block: LogBlock) => readonly LogMatch[];
  /** There are more matches than `all` contains. */
  isCut: boolean;
}

const MAX_MATCHES = 10_000;
const NONE: readonly LogMatch[] = [];

/** Finds a text in blocks, ignoring case. Keeps the matches of a block, so that only new blocks are searched. */
export class LogSearch {
  readonly #pattern: RegExp | null;
  readonly #found = new WeakMap<LogBlock, readonly LogMatch[]>();

  constructor(text: string) {
    this.#pattern = text === '' ? null : new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'giu');
  }

  find(blocks: readonly LogBlock[]): LogMatches {
    const all: LogMatch[] = [];
    const shown = new Set<LogBlock>();
    for (const block of blocks) {
      if (all.length >= MAX_MATCHES) break;
      all.push(...this.#findInBlock(block));
      shown.add(block);
    }
    const ofBlock = (block: LogBlock) => (shown.has(block) ? this.#findInBlock(block) : NONE);
    return { all, ofBlock, isCut: all.length >= MAX_MATCHES };
  }

  #findInBlock(block: LogBlock): readonly LogMatch[] {
    const known = this.#found.get(block);
    if (known !== undefined) return known;
    const matches = this.#pattern === null ? [] : [...listMatches(block, this.#pattern)];
    const found = matches.length === 0 ? NONE : matches;
    this.#found.set(block, found);
    return found;
  }
}

function* listMatches({ first, lines }: LogBlock, pattern: RegExp): Generator<LogMatch> {
  for (const [i, line] of lines.entries()) {
    const text = line.map((part) => part.text).join('');
    for (const { index, 0: found } of text.matchAll(pattern)) {
      yield { line: first + i, begin: index, end: index + found.length };
    }
  }
}
