import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { IMAGE, IS_PUBLISHED, NPM_PACKAGE } from '../../src/domain/words/publication.ts';
import { locate, readDocument } from '../helpers/documents.ts';

/** What is shipped, printed, or followed by a reader. The tests of `src` contain what is forbidden. */
const PLACES = ['*.md', '*.yml', '*.yaml', 'ci', 'deploy', 'docs', 'example-*', 'examples', 'schemas', 'site', 'src'];

const files = execFileSync('git', ['ls-files', '-z', '--', ...PLACES], { cwd: fileURLToPath(locate('.')) })
  .toString()
  .split('\0')
  .filter((path) => /\.(?:md|ya?ml|json|mjs|tsx?|tpl|txt|service|socket)$|\/[A-Z]\w+(?:\.replicas)?$/.test(path))
  .filter((path) => !/\.test\.tsx?$|package-lock\.json$|^src\/domain\/words\/publication\.ts$/.test(path));

const name = String.raw`${NPM_PACKAGE}(?=$|[\s"'\`@])`;
/** Programs that execute or install a package that they find by name. */
const FETCHES = new RegExp(
  String.raw`\b(?:npx|bunx|(?:pnpm|yarn) dlx|npm (?:exec|install|i|add)|(?:pnpm|yarn|bun) (?:global )?add)(?: -[\w-]+| --)* ${name}`,
  'm',
);

describe.skipIf(IS_PUBLISHED)('before the first release', () => {
  it.each([
    `npx ${NPM_PACKAGE} status`,
    `npx -y ${NPM_PACKAGE}@1 status`,
    `npm install -g ${NPM_PACKAGE}`,
    `npm exec -- ${NPM_PACKAGE}`,
  ])('"%s" is found', (text) => {
    expect(text).toMatch(FETCHES);
  });

  it('a package in a file is not a name', () => {
    expect(`npm install -g ./${NPM_PACKAGE}-1.2.3.tgz`).not.toMatch(FETCHES);
  });

  it('no text of the repository executes, installs or pulls a name that anybody could register', () => {
    expect(files).toEqual(
      expect.arrayContaining([
        'README.md',
        'action.yml',
        'ci/gitlab.yml',
        'deploy/compose.yaml',
        'src/cli/demo/run-demo.ts',
      ]),
    );
    const naming = files.filter((path) => {
      const text = readDocument(path);
      return FETCHES.test(text) || text.includes(IMAGE);
    });
    expect(naming).toEqual([]);
  });

  it.each(['README.md', 'docs/operations/installing.md'])('%s warns of packages with the name', (document) => {
    expect(readDocument(document)).toMatch(/No version is published yet/);
  });
});
