import { textOf } from '../../../../domain/words/terminal-text.ts';
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
const MAX_MATCHES_OF_LINE = 500;

interface Found {
  matches: readonly LogMatch[];
  isCut: boolean;
}

const NONE: Found = { matches: [], isCut: false };

/** Finds a text in blocks, ignoring case. Keeps the matches of a block, so that only new blocks are searched. */
export class LogSearch {
  readonly #pattern: RegExp | null;
  readonly #found = new WeakMap<LogBlock, Found>();

  constructor(text: string) {
    this.#pattern = text === '' ? null : new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'giu');
  }

  find(blocks: readonly LogBlock[]): LogMatches {
    const all: LogMatch[] = [];
    const shown = new Set<LogBlock>();
    let isCut = false;
    for (const block of blocks) {
      if (all.length >= MAX_MATCHES) break;
      const found = this.#findInBlock(block);
      all.push(...found.matches);
      isCut ||= found.isCut;
      shown.add(block);
    }
    const ofBlock = (block: LogBlock) => (shown.has(block) ? this.#findInBlock(block) : NONE).matches;
    return { all, ofBlock, isCut: isCut || all.length >= MAX_MATCHES };
  }

  #findInBlock(block: LogBlock): Found {
    const known = this.#found.get(block);
    if (known !== undefined) return known;
    const found = this.#pattern === null ? NONE : findInBlock(block, this.#pattern);
    this.#found.set(block, found);
    return found;
  }
}

function findInBlock({ first, lines }: LogBlock, pattern: RegExp): Found {
  const matches: LogMatch[] = [];
  let isCut = false;
  for (const [i, line] of lines.entries()) {
    const end = matches.length + MAX_MATCHES_OF_LINE;
    for (const { index, 0: found } of textOf(line).matchAll(pattern)) {
      isCut ||= matches.length === end;
      if (matches.length === end) break;
      matches.push({ line: first + i, begin: index, end: index + found.length });
    }
  }
  return matches.length === 0 ? NONE : { matches, isCut };
}
