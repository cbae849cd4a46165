import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listPages, locate, readDocument, readProse } from '../helpers/documents.ts';

const PAGE = 'docs/glossary.md';
const ROWS = [...readDocument(PAGE).matchAll(/^\| ([^|`]+) \| ([^|]+) \| `(\w+)` in `(src\/[\w/.-]+)` \|$/gm)].map(
  ([, word = '', meaning = '', name = '', file = '']) => ({ word, meaning, name, file }),
);

describe('docs/glossary.md', () => {
  it.each(ROWS)('$word is defined in the file that the glossary names', ({ name, file }) => {
    const source = existsSync(locate(file)) ? readDocument(file) : '';
    expect(source).toMatch(
      new RegExp(`^(?:export )?(?:async )?(?:interface|type|const|class|function) ${name}\\b`, 'm'),
    );
  });

  it('gives each word one row, and each row one sentence', () => {
    const written = readDocument(PAGE).match(/^\| (?!---|word )/gm)!.length;
    expect(ROWS).toHaveLength(written);
    expect(new Set(ROWS.map(({ word }) => word)).size).toBe(ROWS.length);
    for (const { word, meaning } of ROWS) expect(meaning, word).toMatch(/^[A-Z].*[^.]\.$/);
  });
});

describe('the documents', () => {
  it('refer only to existing source files, or to files that tools or readers create', () => {
    const created = readDocument('.gitignore').split('\n');
    const missing = listPages().flatMap((document) =>
      [...readProse(document).matchAll(/`((?:src|test|scripts|schemas)\/[\w/.-]*)`(?!: a new file)/g)]
        .map((match) => match[1]!)
        .filter((path) => !existsSync(locate(path)) && !created.includes(path))
        .map((path) => `${document}: ${path}`),
    );
    expect(missing).toEqual([]);
  });
});
