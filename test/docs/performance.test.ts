import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PUBLISHED, PUBLISHED_NAMES } from '../../bench/kit/published.ts';

const page = readFileSync(new URL('../../docs/performance.md', import.meta.url), 'utf8');
const places = new Map(
  Array.from(
    page.matchAll(/<!-- figures: (\w+) -->\n((?:(?!<!-- figures)[\s\S])*?)<!-- end -->/g),
    ([, name = '', figures = '']) => [name, figures],
  ),
);

it('the page has a place for the figures of each published benchmark, and no other', () => {
  expect([...places.keys()].sort()).toEqual([...PUBLISHED_NAMES].sort());
});

it.each(PUBLISHED_NAMES)('the figures of %s have each measure that is published', (name) => {
  for (const measure of PUBLISHED[name]!) expect(places.get(name)).toContain(`| ${measure} |`);
});
