import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** These are published without the text that they name. */
const WITHOUT_TEXT = ['react-remove-scroll-bar', 'wouter'];

/** What permissive licences ask for is that their text goes along. */
const PERMISSIVE = ['0BSD', 'BSD-3-Clause', 'ISC', 'MIT', 'Unlicense'];

describe('licences of what the dashboard is built from', () => {
  const text = readFileSync('dist/dashboard/licenses.md', 'utf8');
  const sections = text.split(/^## /m).slice(1);

  it('are in the package, for every part of the bundle', () => {
    const names = sections.map((section) => section.split(' - ')[0]);
    expect(names).toEqual(expect.arrayContaining(['@mantine/core', '@tanstack/react-query', 'react', 'react-dom']));
  });

  it('are permissive, and whole', () => {
    const short: string[] = [];
    for (const section of sections) {
      const [title, name, licence] = /^(\S+) - \S+ \((.+)\)\n/.exec(section)!;
      expect(PERMISSIVE, title).toContain(licence);
      if (section.length - title.length < 400) short.push(name!);
    }
    expect(short).toEqual(WITHOUT_TEXT);
  });
});
