import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { locate, readDocument } from '../helpers/documents.ts';

const cwd = fileURLToPath(locate('.'));
const list = (pattern: string) => globSync(pattern, { cwd }).map((file) => file.replaceAll('\\', '/'));
const TAG = /\btags: 'long'/g;
const files = ['test/**/*.test.ts', 'src/**/*.test.ts']
  .flatMap(list)
  .map((file) => ({ file, text: readDocument(file) }))
  .filter(({ text }) => text.search(TAG) >= 0);

describe('the tests with the tag long', () => {
  it('are in files that npm run test:faults executes', () => {
    const patterns = [...readDocument('vitest.faults.ts').matchAll(/'(test\/[^']+\.test\.ts)'/g)].map(
      ([, path]) => path!,
    );
    const executed = new Set(patterns.flatMap(list));
    expect(files.length).toBeGreaterThan(20);
    expect(files.map(({ file }) => file).filter((file) => !executed.has(file))).toEqual([]);
  });

  it('are never all tests of a file', () => {
    const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
    const isLong = ({ text }: { text: string }) => count(text, /^ *it[.(]/gm) <= count(text, TAG);
    expect(files.filter(isLong).map(({ file }) => file)).toEqual([]);
  });
});
