import { describe, expect, it } from 'vitest';
import { judgeGitVersion, refuseOldGit } from './git-version.ts';

describe('judgeGitVersion', () => {
  it.each(['git version 2.32.0', 'git version 2.39.5 (Apple Git-154)', 'git version 3.0.1', 'something else'])(
    'takes %s',
    (text) => expect(judgeGitVersion(text)).toBeNull(),
  );

  it.each(['git version 2.31.9', 'git version 2.4.1', 'git version 1.99.0'])(
    'refuses %s and says what is needed',
    (text) => {
      expect(judgeGitVersion(text)).toMatchObject({ ok: false, reason: 'RepositoryRefused' });
      expect(judgeGitVersion(text)?.message).toContain('git 2.32 or newer');
    },
  );

  it('takes the git of this machine', async () => {
    expect(await refuseOldGit({ PATH: process.env.PATH })).toBeNull();
  });
});
