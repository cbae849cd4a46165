import type { Position } from '../../domain/definitions/diagnostic.ts';

/** The first character of a file: the position of problems of the whole file. */
export const FILE_START: Position = { line: 1, column: 1 };

/** Line and column of an offset in a text. Reads all text before it: use it for single positions only. */
export function toPosition(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/** Line and column of any number of offsets in a text. `linesBefore` is the number of lines of the file before the text. */
export function createPositions(text: string, linesBefore = 0): (offset: number) => Position {
  const starts = listLineStarts(text);
  return (offset) => {
    let first = 0;
    let after = starts.length;
    while (after - first > 1) {
      const middle = (first + after) >> 1;
      if (starts[middle]! <= offset) first = middle;
      else after = middle;
    }
    return { line: first + 1 + linesBefore, column: offset - starts[first]! + 1 };
  };
}

function listLineStarts(text: string): number[] {
  const starts = [0];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return starts;
}
