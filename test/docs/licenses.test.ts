import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** Permissive licences require that their text is included. */
const PERMISSIVE = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BlueOak-1.0.0',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
];

/** A bundle, the document with the licences of its packages, some of the packages, and those published without a text. */
const BUNDLES = [
  {
    bundle: 'the dashboard',
    file: 'dist/dashboard/licenses.md',
    some: ['@mantine/core', '@tanstack/react-query', 'react', 'react-dom'],
    withoutText: ['react-remove-scroll-bar', 'wouter'],
  },
  {
    bundle: 'the program',
    file: 'dist/licenses.md',
    some: ['@aws-sdk/client-s3', 'ajv', 'fastify', 'kysely', 'simple-git', 'undici', 'yaml'],
    withoutText: [
      '@aws-sdk/credential-provider-http',
      '@aws-sdk/credential-provider-login',
      '@aws-sdk/nested-clients',
      'abstract-logging',
      'pg-types',
      'pgpass',
    ],
  },
];

describe.each(BUNDLES)('licences of the packages in $bundle', ({ file, some, withoutText }) => {
  const sections = readFileSync(file, 'utf8')
    .split(/^## (?=\S+ - \S+ \(.+\)$)/m)
    .slice(1);

  it('are included for every package of the bundle', () => {
    const names = sections.map((section) => section.split(' - ')[0]);
    expect(names).toEqual(expect.arrayContaining(some));
  });

  it('are permissive and complete', () => {
    const short: string[] = [];
    for (const section of sections) {
      const [title, name, licence] = /^(\S+) - \S+ \((.+)\)\n/.exec(section)!;
      expect(PERMISSIVE, title).toContain(licence);
      if (section.length - title.length < 400) short.push(name!);
    }
    expect(short).toEqual(withoutText);
  });
});
