import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { splitRulePage } from './split-rule-page.ts';

describe('the page of a rule', () => {
  it('is taken apart into prose, headings and examples', () => {
    const page =
      '# a/b\n\n<!-- made -->\n\nOne `key`.\n\n| | |\n| --- | --- |\n\n## Wrong\n\n```yaml f\na: 1\n```\n\nSee [x](y.md).';
    expect(splitRulePage(page)).toEqual([
      { kind: 'prose', text: 'One `key`.' },
      { kind: 'heading', text: 'Wrong' },
      { kind: 'code', text: 'a: 1' },
      { kind: 'prose', text: 'See x.' },
    ]);
  });

  it('leaves no Markdown over on any page that there is', () => {
    for (const page of readdirSync('docs/rules', { recursive: true, encoding: 'utf8' })) {
      if (!page.endsWith('.md')) continue;
      const file = join('docs/rules', page);
      const prose = splitRulePage(readFileSync(file, 'utf8')).filter(({ kind }) => kind !== 'code');
      expect(prose.length, file).toBeGreaterThan(1);
      for (const { text } of prose) expect(text, file).not.toMatch(/```|^[#|]|\]\(/);
    }
  });
});
