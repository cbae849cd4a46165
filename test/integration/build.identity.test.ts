import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readCommit } from '../../scripts/build-identity.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { createTempGitRepo } from '../helpers/temp-git-repo.ts';

const COMMIT = '2d7a129fc6d1c36eb06ce8f8655a5480a46c0d11';

/** What the build of the image gets of the repository. */
function writeGitFiles(files: { [path: string]: string }): string {
  const folder = createTempDir('build');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, '.git', path)), { recursive: true });
    writeFileSync(join(folder, '.git', path), text);
  }
  return folder;
}

afterEach(() => vi.unstubAllEnvs());

describe('the commit of a build', () => {
  it('is the one of the repository, and dirty if sources differ from it', async () => {
    const repo = await createTempGitRepo();
    const commit = await repo.commit({ 'src/main.ts': '1', 'README.md': '1' });
    expect(readCommit(repo.path)).toBe(commit);
    writeFileSync(join(repo.path, 'README.md'), '2');
    expect(readCommit(repo.path)).toBe(commit);
    writeFileSync(join(repo.path, 'src/main.ts'), '2');
    expect(readCommit(repo.path)).toBe(`${commit}-dirty`);
    expect(readCommit(join(repo.path, 'src'))).toBeNull();
    repo.remove();
  });

  it.each([
    ['of a branch', { HEAD: 'ref: refs/heads/main\n', 'refs/heads/main': `${COMMIT}\n` }],
    [
      'of a packed branch',
      { HEAD: 'ref: refs/heads/main\n', 'packed-refs': `# pack-refs\n${COMMIT} refs/heads/main\n` },
    ],
    ['without a branch', { HEAD: `${COMMIT}\n` }],
  ])('is found without git: %s', (_where, files) => {
    expect(readCommit(writeGitFiles(files))).toBe(COMMIT);
  });

  it('is not known without a repository, or if its files are not understood', () => {
    expect(readCommit(createTempDir('build'))).toBeNull();
    expect(readCommit(writeGitFiles({ HEAD: 'ref: refs/heads/main\n' }))).toBeNull();
    expect(readCommit(writeGitFiles({ HEAD: 'nothing\n' }))).toBeNull();
  });

  it('is the one that the build is given', () => {
    vi.stubEnv('DOCKBELL_BUILD_COMMIT', COMMIT);
    expect(readCommit(createTempDir('build'))).toBe(COMMIT);
  });
});
