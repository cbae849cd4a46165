import { describe, expect, it } from 'vitest';
import { checkGitVersion, rejectOldGit } from './git-version.ts';

describe('checkGitVersion', () => {
  it.each(['git version 2.32.0', 'git version 2.39.5 (Apple Git-154)', 'git version 3.0.1', 'something else'])(
    'takes %s',
    (text) => expect(checkGitVersion(text)).toBeNull(),
  );

  it.each(['git version 2.31.9', 'git version 2.4.1', 'git version 1.99.0'])(
    'rejects %s and says what is needed',
    (text) => {
      expect(checkGitVersion(text)).toMatchObject({ ok: false, reason: 'RepositoryRefused' });
      expect(checkGitVersion(text)?.message).toContain('git 2.32 or newer');
    },
  );

  it('takes the git of this machine', async () => {
    expect(await rejectOldGit({ PATH: process.env.PATH })).toBeNull();
  });
});
