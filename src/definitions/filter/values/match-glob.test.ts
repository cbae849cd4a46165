import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileGlob } from './match-glob.ts';

it.each<[glob: string, matching: string[], others: string[]]>([
  ['api/**', ['api/a', 'api/a/b.ts', 'api/.env', 'api/'], ['api', 'web/api/a']],
  ['**/*.ts', ['a.ts', 'a/b/c.ts', '.ts'], ['a.tsx', 'a.ts/b']],
  ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['ab', 'a/xb', 'a/b/c']],
  ['*', ['a', '.env'], ['a/b']],
  ['?.md', ['a.md', '\u{1f600}.md'], ['ab.md', '/.md']],
  ['[a-c]x', ['ax', 'cx'], ['dx', 'x']],
  ['[!a-c]x', ['dx'], ['ax', '/x']],
  ['[]]', [']'], ['[']],
  ['[a', ['[a'], ['a']],
  ['\\*', ['*'], ['a']],
  ['a**b', ['ab', 'a/x/b'], ['a/x']],
  ['', [''], ['a']],
  ['src/*/index.ts', ['src/a/index.ts'], ['src/index.ts', 'src/a/b/index.ts']],
  ['README.md', ['README.md'], ['readme.md', 'a/README.md']],
])('%j', (glob, matching, others) => {
  const matches = compileGlob(glob);
  for (const path of matching) expect(matches(path), path).toBe(true);
  for (const path of others) expect(matches(path), path).toBe(false);
});

/** The same rules as a regular expression, which takes exponential time on hostile texts. */
function toRegExp(glob: string): RegExp {
  const parts = glob.match(/(?:(?<=^|\/)\*\*+\/)|\*+|[\s\S]/g) ?? [];
  const translated = parts.map((part) => {
    if (part.endsWith('/') && part.length > 1) return '(?:.*/)?';
    if (part.startsWith('**')) return '.*';
    if (part === '*') return '[^/]*';
    return part === '?' ? '[^/]' : part.replace(/[.]/, '\\.');
  });
  return new RegExp(`^${translated.join('')}$`, 's');
}

it('matches like a regular expression', () => {
  const glob = fc.stringMatching(/^[ab/*?]{0,7}$/);
  const path = fc.stringMatching(/^[ab/]{0,8}$/);
  fc.assert(
    fc.property(glob, path, (one, other) => compileGlob(one)(other) === toRegExp(one).test(other)),
    {
      numRuns: 5000,
    },
  );
});

it('takes time in proportion to the lengths of both', () => {
  const startedAt = performance.now();
  expect(compileGlob(`${'*a'.repeat(50)}b`)('a'.repeat(20_000))).toBe(false);
  expect(compileGlob(`${'**/'.repeat(50)}b`)('a/'.repeat(20_000))).toBe(false);
  // Minutes, with a matcher that goes back.
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});
