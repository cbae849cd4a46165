import { expect, it } from 'vitest';
import { readGitlabMentions, readMentions } from './read-mentions.ts';

it.each<[text: string, names: string[]]>([
  ['Hi @Bob, please', ['Bob']],
  ['@org/team-slug and (@ann)', ['org/team-slug', 'ann']],
  ['ops@example.com', []],
  ['a/@b .@c -@d _@e é@f', []],
  ['`@a` and `` `@b` `` but @c', ['c']],
  ['`x`@a', []],
  ['```\n@a\n```\n@b', ['b']],
  ['~~~ js\n@a', []],
  ['text\n\n    @code\n\n@b', ['b']],
  ['text\n    @continued', ['continued']],
  ['- item\n\n      @code\n\n  @text', ['text']],
  ['# title\n    @code', []],
  ['title\n===\n    @code', []],
  ['---\n    @code', []],
  ['> @quoted\n> ```\n> @code', ['quoted']],
  ['<!-- @a\n\n@b -->\n@c', ['c']],
  ['x <!-- @a --> @b', ['b']],
  ['x <!-- @a', ['a']],
  ['<!-- @a', []],
  ['<div>\n@a <!-- @b -->\n</div>', ['a']],
  ['| @a | @b |\n|--|--|', ['a', 'b']],
  ['*@a* [@b](http://c)', ['a', 'b']],
  ['@bob_smith @-x @', ['bob']],
  ['a\r\n@b\r\n', ['b']],
  ['no mention', []],
  ['', []],
])('GitHub: %j mentions %j', (text, names) => {
  expect(readMentions(text)).toEqual(names);
});

it.each<[text: string, names: string[]]>([
  ['@bob_smith, @j.doe.', ['bob_smith', 'j.doe']],
  ['@group/sub/team...', ['group/sub/team']],
  ['`@a` @b', ['b']],
])('GitLab: %j mentions %j', (text, names) => {
  expect(readGitlabMentions(text)).toEqual(names);
});

it('reads the first 65,536 characters', () => {
  const text = `${' x'.repeat(32_764)} @inside`;
  expect(readMentions(text.padEnd(65_600, ' @outside'))).toEqual(['inside']);
});
