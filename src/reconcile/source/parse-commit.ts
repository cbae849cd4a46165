import type { Commit } from '../../domain/applies/reconciliation.ts';

const MAX_SUBJECT_CHARACTERS = 500;
const MAX_AUTHOR_CHARACTERS = 200;

/** What the text of a commit says about it. `null` if it is malformed. */
export function parseCommit(text: Buffer): Omit<Commit, 'url'> | null {
  const end = text.indexOf('\n\n');
  const header = text.toString('utf8', 0, end === -1 ? text.length : end);
  const author = /^author (.*?) ?<[^>]*> \d+ [+-]\d{4}$/m.exec(header)?.[1];
  const committedAt = Number(/^committer .*> (\d{1,12}) [+-]\d{4}$/m.exec(header)?.[1] ?? Number.NaN) * 1000;
  // Later instants cannot be formatted.
  if (author === undefined || !(committedAt <= 8.64e15)) return null;
  const message = end === -1 ? '' : text.toString('utf8', end + 2);
  return {
    subject: readSubject(message),
    author: author.slice(0, MAX_AUTHOR_CHARACTERS),
    committedAt,
  };
}

/** The first paragraph of the message on one line, as in `git log --format=%s`. */
function readSubject(message: string): string {
  const [paragraph = ''] = message.replace(/^\s*\n/, '').split(/\n[ \t]*\n/, 1);
  return paragraph
    .trim()
    .replace(/\s*\n\s*/g, ' ')
    .slice(0, MAX_SUBJECT_CHARACTERS);
}
