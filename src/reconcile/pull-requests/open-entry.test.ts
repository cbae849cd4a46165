import { describe, expect, it } from 'vitest';
import type { Notice, RequestReport } from '../../domain/messages/notice.ts';
import { createEntry, notePost, recallCheck, viewEntry } from './open-entry.ts';

const HEAD = 'a'.repeat(40);
const EARLIER = 'b'.repeat(40);

const open = () => createEntry({ number: 7, commit: HEAD, title: 'a title', url: null, isFork: false }, null);
const report = (commit = HEAD, more: Partial<RequestReport> = {}): RequestReport => ({
  kind: 'request',
  number: 7,
  commit,
  state: 'success',
  description: '1 to create',
  comment: null,
  inputs: 'digest',
  missingSecrets: [],
  finishedAt: 1,
  ...more,
});
const notice = (about: RequestReport, more: Partial<Notice> = {}) =>
  ({ report: about, state: 'posted', problem: null, ...more }) as Notice;

describe('what was posted about a request', () => {
  it('is the last state of each of its two reports', () => {
    const entry = open();
    const waiting = { state: 'waiting', problem: null } as const;
    expect(notePost(entry, report(), { kind: 'status', ...waiting })).toBe(true);
    notePost(entry, report(), { kind: 'comment', ...waiting });
    notePost(entry, report(), { kind: 'status', state: 'given_up', problem: 'it responded with 403' });
    expect(viewEntry(entry).posts).toEqual([
      { kind: 'status', state: 'given_up', problem: 'it responded with 403' },
      { kind: 'comment', ...waiting },
    ]);
  });

  it('is not that of an earlier head, whose report was still waiting', () => {
    const entry = open();
    expect(notePost(entry, report(EARLIER), { kind: 'status', state: 'posted', problem: null })).toBe(false);
    expect(viewEntry(entry).posts).toEqual([]);
  });
});

describe('a check of an earlier daemon', () => {
  it('continues with its posts, without the comment on an earlier head', () => {
    const entry = open();
    recallCheck(entry, { status: notice(report()), comment: notice(report(EARLIER)) });
    expect(entry).toMatchObject({ isKnown: true, inputs: 'digest' });
    expect(viewEntry(entry)).toMatchObject({
      state: 'success',
      description: '1 to create',
      checkedAt: 1,
      posts: [{ kind: 'status', state: 'posted' }],
    });
  });

  it('is repeated if a stop ended it', () => {
    const entry = open();
    recallCheck(entry, { status: notice(report(HEAD, { state: 'pending' })), comment: null });
    expect([entry.state, entry.inputs]).toEqual(['pending', null]);
  });

  it('has no posts if the request changes nothing', () => {
    const entry = open();
    recallCheck(entry, { status: notice(report(), { state: 'skipped' }), comment: null });
    expect([entry.state, viewEntry(entry).posts]).toEqual(['untouched', []]);
  });
});
