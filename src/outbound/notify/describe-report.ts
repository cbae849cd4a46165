import type { CommitReport } from '../../domain/messages/notice.ts';
import { quietLine } from '../../domain/words/posted-markdown.ts';

/** Number of characters of a commit ID that are unique and readable. */
const SHORT_REVISION = 12;

/**
 * One line for the commit status, at most `maxLength` UTF-16 units long: the first finding with file and line, and the live
 * commit. If the text is too long, the middle is cut, so that both remain.
 */
export function describeReport(report: CommitReport, maxLength: number): string {
  const tail = describeLive(report);
  if (report.state !== 'success') return `${cutText(quietLine(report.message), maxLength - tail.length)}${tail}`;
  return cutText(`${shorten(report.liveRevision)} is live${describeWarnings(report)}`, maxLength);
}

function describeLive({ state, liveRevision }: CommitReport): string {
  const again = state === 'error' ? '; retrying' : '';
  return liveRevision === null ? `${again}; nothing is live yet` : `${again}; ${shorten(liveRevision)} stays live`;
}

function describeWarnings({ diagnostics, diagnosticCount }: CommitReport): string {
  const [first] = diagnostics;
  if (first === undefined) return '';
  const place = first.file === '' ? '' : `${first.file}:${first.line}:${first.column}: `;
  const count = diagnosticCount === 1 ? 'a warning' : `${diagnosticCount} warnings`;
  return quietLine(`, with ${count}: ${place}${first.message}`);
}

function shorten(revision: string | null): string {
  return (revision ?? '').slice(0, SHORT_REVISION);
}

/** Cuts between characters, never within one. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let kept = '';
  for (const character of text) {
    if (kept.length + character.length > maxLength - 1) break;
    kept += character;
  }
  return `${kept}…`;
}
