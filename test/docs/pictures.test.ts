import { readdirSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DIAGRAM_FOLDER, DIAGRAM_THEMES, describeSource, diagramPath, listDiagrams } from '../../scripts/diagrams.ts';
import { listDocuments, locate, readDocument } from '../helpers/documents.ts';

const IMAGES = 'docs/images';
const MAX_BYTES = 150 * 1024;

describe('the diagrams of the documents', () => {
  const diagrams = listDiagrams();

  it.each(diagrams)('$document: $name has a current picture for each theme', ({ name, source }) => {
    for (const theme of DIAGRAM_THEMES) {
      const picture = readDocument(diagramPath(name, theme));
      expect(picture.split('\n')[0], 'run npm run docs:diagrams').toBe(describeSource(source));
      expect(picture).not.toMatch(/<script|foreignObject/);
    }
  });

  it('have different names, and no picture is left over', () => {
    const expected = diagrams.flatMap(({ name }) => DIAGRAM_THEMES.map((theme) => diagramPath(name, theme)));
    const found = readdirSync(locate(DIAGRAM_FOLDER)).map((file) => `${DIAGRAM_FOLDER}/${file}`);
    expect(found.sort()).toEqual(expected.sort());
    expect(diagrams.length).toBeGreaterThanOrEqual(4);
  });
});

describe('the screenshots', () => {
  const files = readdirSync(locate(IMAGES));
  const shown = listDocuments().flatMap((document) =>
    [...readDocument(document).matchAll(/!\[([^\]]*)\]\(([^)]*images\/([^)]*))\)/g)].map(([, alt, , file]) => {
      return { document, alt: alt!, file: file! };
    }),
  );

  it.each(shown)('$document: $file exists for both themes and has a text alternative', ({ alt, file }) => {
    expect(file).toMatch(/-light\.webp$/);
    expect(files).toEqual(expect.arrayContaining([file, file.replace('-light.', '-dark.')]));
    expect(alt.length).toBeGreaterThan(20);
  });

  it('are all shown, and small', () => {
    const names = new Set(shown.map(({ file }) => file.replace('-light.webp', '')));
    expect([...new Set(files.map((file) => file.replace(/-(?:light|dark)\.webp$/, '')))].sort()).toEqual(
      [...names].sort(),
    );
    for (const file of files) expect(statSync(locate(`${IMAGES}/${file}`)).size, file).toBeLessThan(MAX_BYTES);
  });
});
