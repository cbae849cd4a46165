import type { Position } from '../../domain/definitions/diagnostic.ts';
import type { FileProblem } from '../file-diagnostics.ts';
import { FILE_START } from '../yaml/positions.ts';

/** Lines that git writes around the two versions of a conflict. A middle line, as YAML or Markdown may have, is not sufficient. */
const CONFLICT_START = /^<{7}(?: |\r?$)/;
const CONFLICT_MIDDLE = /^={7}\r?$/;
const CONFLICT_END = /^>{7}(?: |\r?$)/;
/** Markers in a code block are an example. */
const FENCE = /^ {0,3}(?:`{3}|~{3})/;

const LFS_POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/v\d+\r?\n/;

/** What git left in a file in place of its content: a merge conflict, or a pointer of Git LFS. `null` if nothing. */
export function findForeignContent(text: string): FileProblem | null {
  if (LFS_POINTER.test(text)) return describePointer();
  return text.includes('<<<<<<<') ? describeConflicts(findConflicts(text.split('\n'))) : null;
}

function describePointer(): FileProblem {
  const message =
    'The file is a pointer of Git LFS. The repository does not contain its content, and Dockbell does not download it.';
  const hint =
    'Store the file in git: remove its pattern from .gitattributes (git lfs untrack), run "git add --renormalize .", and commit.';
  return { rule: 'file/lfs-pointer', at: FILE_START, path: [], message, hint };
}

interface Conflict {
  first: number;
  last: number;
}

function findConflicts(lines: readonly string[]): Conflict[] {
  const conflicts: Conflict[] = [];
  let [first, hasMiddle, isInCode] = [0, false, false];
  for (const [index, line] of lines.entries()) {
    if (first === 0 && FENCE.test(line)) isInCode = !isInCode;
    else if (!isInCode && CONFLICT_START.test(line)) [first, hasMiddle] = [index + 1, false];
    else if (first > 0 && CONFLICT_MIDDLE.test(line)) hasMiddle = true;
    else if (first > 0 && hasMiddle && CONFLICT_END.test(line)) {
      conflicts.push({ first, last: index + 1 });
      first = 0;
    }
  }
  return conflicts;
}

const MAX_LISTED = 5;

function describeConflicts(conflicts: readonly Conflict[]): FileProblem | null {
  const [one] = conflicts;
  if (one === undefined) return null;
  const listed = conflicts.slice(0, MAX_LISTED).map(({ first, last }) => `${first} to ${last}`);
  const more = conflicts.length > MAX_LISTED ? ', and more' : '';
  const at: Position = { line: one.first, column: 1 };
  const message = `The file contains an unresolved merge conflict, in lines ${listed.join(', ')}${more}.`;
  const hint =
    'Keep one version of these lines, remove the lines that begin with <<<<<<<, ======= and >>>>>>>, and commit.';
  return { rule: 'file/merge-conflict', at, path: [], message, hint };
}
