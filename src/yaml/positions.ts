import type { Position } from '../core/diagnostic.ts';

/** The first character of a file: the position of problems of the whole file. */
export const FILE_START: Position = { line: 1, column: 1 };

/** Line and column of an offset in a text. Reads all text before it: use it for single positions only. */
export function toPosition(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}
