import type { StyledLine, StyledText } from '../../../../domain/words/terminal-text.ts';
import type { LogMatch } from './find-matches.ts';

/** A part of a line with one style that is in one match or in none. */
export interface LinePiece extends StyledText {
  match: LogMatch | null;
}

/** Cuts the parts of a line where a match begins or ends. */
export function cutLine(line: StyledLine, matches: readonly LogMatch[]): LinePiece[] {
  const pieces: LinePiece[] = [];
  let at = 0;
  let next = 0;
  for (const { text, style } of line) {
    const end = at + text.length;
    let from = at;
    while (from < end) {
      while (next < matches.length && matches[next]!.end <= from) next += 1;
      const match = matches[next];
      const isInside = match !== undefined && match.begin <= from;
      const to = Math.min(end, match === undefined ? end : isInside ? match.end : match.begin);
      pieces.push({ text: text.slice(from - at, to - at), style, match: isInside ? match : null });
      from = to;
    }
    at = end;
  }
  return pieces;
}
