import { describe, expect, it } from 'vitest';
import { readTitle } from './git-host-api.ts';
import { GITHUB } from './github.ts';
import { GITLAB } from './gitlab.ts';

const COMMIT = 'a'.repeat(40);

describe('the title of a request', () => {
  it('has at most 300 characters, and no half of one', () => {
    expect(readTitle('a title')).toBe('a title');
    expect(readTitle('\u{1f514}'.repeat(400))).toBe('\u{1f514}'.repeat(300));
  });

  it.each([[null], [7], [undefined], [['a']]])('is empty if the host sends %j', (value) => {
    expect(readTitle(value)).toBe('');
  });
});

it('both hosts read title and page of a row', () => {
  const url = 'https://git.example/7';
  const expected = { number: 7, commit: COMMIT, title: 'a title', url, isFork: false };
  const repo = { repo: { id: 1 } };
  const github = { number: 7, title: 'a title', html_url: url, head: { sha: COMMIT, ...repo }, base: repo };
  expect(GITHUB.readOpenRequest(github)).toEqual(expected);
  const gitlab = { iid: 7, title: 'a title', web_url: url, sha: COMMIT, source_project_id: 1, target_project_id: 1 };
  expect(GITLAB.readOpenRequest(gitlab)).toEqual(expected);
});
