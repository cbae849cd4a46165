import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { NAMES } from '../../bench/kit/names.ts';

const page = readFileSync(new URL('../../docs/performance.md', import.meta.url), 'utf8');

it('the page has a place for the figures of each benchmark, and no other', () => {
  const places = Array.from(
    page.matchAll(/<!-- figures: (\w+) -->\n(?:(?!<!-- figures)[\s\S])*?<!-- end -->/g),
    ([, name]) => name,
  );
  expect(places.sort()).toEqual([...NAMES].sort());
});
