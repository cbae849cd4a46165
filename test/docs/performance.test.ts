import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { NAMES, UNPUBLISHED } from '../../bench/kit/names.ts';

const page = readFileSync(new URL('../../docs/performance.md', import.meta.url), 'utf8');

it('the page has a place for the figures of each published benchmark, and no other', () => {
  const places = Array.from(
    page.matchAll(/<!-- figures: (\w+) -->\n(?:(?!<!-- figures)[\s\S])*?<!-- end -->/g),
    ([, name]) => name,
  );
  expect(places.sort()).toEqual(NAMES.filter((name) => !UNPUBLISHED.includes(name)).sort());
});
