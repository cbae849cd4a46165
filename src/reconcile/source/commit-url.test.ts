import { describe, expect, it } from 'vitest';
import { findCommitUrl } from './commit-url.ts';
import { parseRepositoryUrl } from './repository-url.ts';

const ID = 'a'.repeat(40);

describe('findCommitUrl', () => {
  it.each([
    ['https://github.com/acme/api.git', `https://github.com/acme/api/commit/${ID}`],
    ['git@github.com:acme/api.git', `https://github.com/acme/api/commit/${ID}`],
    ['https://alice:token@github.com/acme/api', `https://github.com/acme/api/commit/${ID}`],
    ['ssh://git@gitlab.example.com:2222/team/sub/api.git', `https://gitlab.example.com/team/sub/api/-/commit/${ID}`],
    ['https://gitlab.com/team/api/', `https://gitlab.com/team/api/-/commit/${ID}`],
    ['git@bitbucket.org:acme/api.git', `https://bitbucket.org/acme/api/commits/${ID}`],
    ['https://codeberg.org/acme/api', `https://codeberg.org/acme/api/commit/${ID}`],
    ['https://forgejo.example.org:8443/acme/api', `https://forgejo.example.org:8443/acme/api/commit/${ID}`],
    ['https://dev.azure.com/org/project/_git/api', `https://dev.azure.com/org/project/_git/api/commit/${ID}`],
    ['git@ssh.dev.azure.com:v3/org/project/api', `https://dev.azure.com/org/project/_git/api/commit/${ID}`],
    ['https://git.example.com/acme/api', null],
    ['https://mygithub.example.com/acme/api', null],
    ['/srv/git/github.com/api.git', null],
  ])('finds the page of a commit of %s', (url, expected) => {
    const parsed = parseRepositoryUrl(url);
    if (!parsed.ok) throw new Error(parsed.message);
    expect(findCommitUrl(parsed.location, ID)).toBe(expected);
  });
});
