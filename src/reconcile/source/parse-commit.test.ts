import { describe, expect, it } from 'vitest';
import { parseCommit } from './parse-commit.ts';

const HEADER = `tree ${'a'.repeat(40)}
parent ${'b'.repeat(40)}
author Åsa <asa@example.org> 1700000000 +0100
committer CI <ci@example.org> 1700000060 -0500`;

describe('parseCommit', () => {
  it.each([
    ['Filter opened issues\n\nBecause of #42.\n', 'Filter opened issues'],
    ['One subject\non two lines\n\nBody\n', 'One subject on two lines'],
    ['\n\nAfter empty lines\n', 'After empty lines'],
    ['', ''],
  ])('reads author, time and subject of %j', (message, subject) => {
    const parsed = parseCommit(Buffer.from(`${HEADER}\n\n${message}`));
    expect(parsed).toEqual({ subject, author: 'Åsa', committedAt: 1_700_000_060_000 });
  });

  it('reads no header from the message and from a signature', () => {
    const signed = `${HEADER}\ngpgsig -----BEGIN\n author Mallory <m@x> 1 +0000\n -----END`;
    const parsed = parseCommit(Buffer.from(`${signed}\n\nauthor Mallory <m@x> 1 +0000\n`));
    expect(parsed).toMatchObject({ author: 'Åsa', subject: 'author Mallory <m@x> 1 +0000' });
  });

  it.each(['', 'tree a\n\nmessage', `${HEADER.replace('1700000060', '9'.repeat(12))}9\n\nx`])(
    'returns null for the malformed commit %#',
    (text) => expect(parseCommit(Buffer.from(text))).toBeNull(),
  );
});
