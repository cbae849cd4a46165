import { describe, expect, it } from 'vitest';
import { cutLine } from './cut-line.ts';
import { LogSearch } from './find-matches.ts';
import { LogLines } from './log-lines.ts';

function readBlocks(...chunks: string[]) {
  const log = new LogLines();
  for (const chunk of chunks) log.append(new TextEncoder().encode(chunk));
  return log.blocks;
}

describe('LogSearch', () => {
  it('finds text across styles, ignoring case, with positions in the shown text', () => {
    const { all } = new LogSearch('error').find(readBlocks('ok\n\x1b[31mER\x1b[0mror and İ error'));
    expect(all).toEqual([
      { line: 2, begin: 0, end: 5 },
      { line: 2, begin: 12, end: 17 },
    ]);
  });

  it('finds punctuation as text', () => {
    const text = '\\^$.*+?()[]{}|/-';
    expect(new LogSearch(text).find(readBlocks(`a${text}b`)).all).toHaveLength(1);
    expect(new LogSearch('.*').find(readBlocks('abc')).all).toEqual([]);
  });

  it('finds nothing for an empty text', () => {
    expect(new LogSearch('').find(readBlocks('abc')).all).toEqual([]);
  });

  it('keeps the matches of closed blocks when the log grows', () => {
    const search = new LogSearch('x');
    const log = new LogLines();
    log.append(new TextEncoder().encode('x\n'.repeat(250)));
    const before = search.find(log.blocks).ofBlock(log.blocks[0]!);
    log.append(new TextEncoder().encode('x\n'));
    const after = search.find(log.blocks);
    expect(after.all).toHaveLength(251);
    expect(after.ofBlock(log.blocks[0]!)).toBe(before);
  });

  it('stops after many matches', () => {
    const { all, isCut } = new LogSearch('a').find(readBlocks('a\n'.repeat(50_000)));
    expect(isCut).toBe(true);
    expect(all.length).toBeLessThan(20_000);
    const ofLine = new LogSearch('a').find(readBlocks(`${'a'.repeat(10_000)}\na`));
    expect([ofLine.all.length, ofLine.isCut]).toEqual([501, true]);
  });
});

it('cutLine cuts styles at the matches', () => {
  const blocks = readBlocks('ab\x1b[1mcd\x1b[0mef');
  const matches = new LogSearch('bcde').find(blocks).all;
  const pieces = cutLine(blocks[0]!.lines[0]!, matches);
  expect(pieces.map(({ text, style, match }) => [text, style.isBold, match !== null])).toEqual([
    ['a', false, false],
    ['b', false, true],
    ['cd', true, true],
    ['e', false, true],
    ['f', false, false],
  ]);
});
