import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { extractProse } from '../../scripts/prose/extract-prose.ts';
import { compileEntries, findInNames, findLongSentences } from '../../scripts/prose/find-words.ts';
import { readWordList } from '../../scripts/prose/word-list.ts';

const list = readWordList();

it.each([
  ['a Markdown page', 'page.md', 'The sender is told why.'],
  ['a list in Markdown', 'page.md', '- The sender\n  is told why.'],
  ['a YAML guide', 'guide.yaml', 'text: >\n  The sender is told why.'],
  ['a comment in YAML', 'guide.yaml', '# The sender is told why.\nkey: 1'],
  ['a description in JSON', 'a.schema.json', '{ "description": "The sender is told why." }'],
  ['a line comment', 'a.ts', 'const a = 1; // the sender is told why'],
  ['a doc comment', 'a.ts', '/**\n * The sender is\n * told why.\n */\nexport const a = 1;'],
  ['a string literal', 'a.ts', "throw new Error('the sender is told why');"],
  ['a template', 'a.ts', `const a = (b: string) => \`the sender $\{b} is told why\`;`],
  ['the end of a template', 'a.ts', `const a = \`$\{b('x')} is told why $\{c}\`;`],
  ['the title of a test', 'a.test.ts', "it('is told why', () => {});"],
  ['JSX text', 'a.tsx', 'const a = <p>\n  The sender is told why.\n</p>;'],
  ['an attribute in JSX', 'a.tsx', 'const a = <Button aria-label="is told why" />;'],
  ['a comment in CSS', 'a.css', '/* The sender is told why. */ a { color: red; }'],
  ['a shell script', '.ci/run', '# The sender is told why.\nexit 0'],
])('finds a word to avoid in %s', (_kind, path, content) => {
  expect(wordsIn(path, content)).toEqual(['told']);
});

it.each([
  ['inline code', 'page.md', 'The key `told` is set.'],
  ['a code block', 'page.md', 'Text.\n\n```yaml\ntold: is told\n```\n'],
  ['the target of a link', 'page.md', 'See [the page](told.md).'],
  ['a string of one word', 'a.ts', "const a = 'told';"],
  ['a statement of SQL', 'a.ts', 'const a = `SELECT told FROM lane`;'],
  ['other values in JSON', 'a.json', '{ "name": "is told why" }'],
  ['a longer word', 'page.md', 'A blindfolded man.'],
  ['an exception of the list', 'a.ts', '// The port tells the two apart.'],
])('leaves %s alone', (_kind, path, content) => {
  expect(wordsIn(path, content)).toEqual([]);
});

it('finds a phrase that goes over the end of a line', () => {
  expect(wordsIn('page.md', 'It runs as a\nrule.')).toEqual(['as a rule']);
  expect(wordsIn('a.ts', '// It runs as a\n// rule.')).toEqual(['as a rule']);
});

it.each(['const ticketOffice = 1;', 'type A = { ticketOffice: 1 };', 'function openTicketOffice() {}'])(
  'finds a word to avoid in the names of %s',
  (content) => {
    const find = compileEntries(list.names);
    expect(findInNames(extractProse('a.ts', content)!, 'a.ts', find)).toHaveLength(1);
  },
);

it('finds sentences of more than 30 words, and no shorter ones', () => {
  const long = (words: number) => findLongSentences({ text: `${'word '.repeat(words)}end.`, names: [] });
  expect(long(29)).toEqual([]);
  expect(long(30)).toMatchObject([{ offset: 0, write: expect.stringContaining('31') }]);
});

it('prints file, line and column of a finding, and fails', () => {
  const dir = mkdtempSync(join(process.cwd(), 'test/docs/prose-'));
  try {
    writeFileSync(join(dir, 'page.md'), '# Page\n\nIt is told.\n');
    const { status, stdout } = spawnSync(process.execPath, ['scripts/check-prose.ts', dir], { encoding: 'utf8' });
    expect(stdout).toMatch(/^test\/docs\/prose-\w+\/page\.md:3:7: "told": write "reported, logged, /);
    expect(status).toBe(1);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

it('excludes only paths that exist', () => {
  expect(list.excluded.filter((path) => !existsSync(path))).toEqual([]);
});

it('names a reason for each exception', () => {
  for (const { except = [] } of [...list.words, ...list.names]) {
    for (const exception of except) expect(exception.because).toMatch(/\w+ \w+/);
  }
});

function wordsIn(path: string, content: string): string[] {
  return compileEntries(list.words)(extractProse(path, content)!.text, path).map(({ phrase }) => phrase);
}
