import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';

const ROOT = new URL('../../', import.meta.url);

/** Absolute path of a path in the repository. */
export function locate(path: string): URL {
  return new URL(path, ROOT);
}

/** Text of a file in the repository. */
export function readDocument(path: string): string {
  return readFileSync(locate(path), 'utf8');
}

/** All documents of the repository: those in the root and all under docs/. */
export function listDocuments(): string[] {
  const inRoot = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
  return [...inRoot, ...listMarkdown('docs/')].sort();
}

/** Where `npm run build` writes the documents that are made from the code, in the layout of the repository. */
const MADE = '.cache/site-documents/';

/** All documents as the site has them: those of the repository and those that are made from the code. */
export function listPages(): string[] {
  return [
    ...new Set([...listDocuments(), ...listMarkdown(`${MADE}docs/`).map((path) => path.slice(MADE.length))]),
  ].sort();
}

/** Text of a document as the site has it. */
export function readPage(path: string): string {
  return readDocument(existsSync(locate(MADE + path)) ? MADE + path : path);
}

function listMarkdown(folder: string): string[] {
  return readdirSync(locate(folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}${name.replaceAll('\\', '/')}`);
}

/** A fenced code block of a document. */
export interface Fence {
  document: string;
  /** First word after the fence, for example `sh`; `''` if none. */
  language: string;
  /** The rest of the line: for definitions, the path of the example. */
  title: string;
  text: string;
}

export function listFences(document: string): Fence[] {
  // Includes indented blocks in lists.
  return [...readPage(document).matchAll(/^( *)```(\S*)[ \t]*(.*)\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent = '', language = '', title = '', text = '']) => {
      return { document, language, title, text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), '') };
    },
  );
}

/** The document without its fenced blocks, as the site has it. */
export function readProse(document: string): string {
  return dropFences(readPage(document));
}

/** Markdown without its fenced blocks. */
export function dropFences(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```$/gm, '');
}

/** The text between `<!-- name -->` and `<!-- end -->` is generated. `UPDATE_DOCS=1` writes it. */
export function expectGenerated(document: string, name: string, generated: string): void {
  const text = readDocument(document);
  const begin = `<!-- ${name} -->\n`;
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf('<!-- end -->', from);
  expect(from > begin.length && to !== -1, `${document} has a place for "${name}"`).toBe(true);
  if (process.env.UPDATE_DOCS) writeFileSync(locate(document), text.slice(0, from) + generated + text.slice(to));
  else expect(text.slice(from, to)).toBe(generated);
}

/** A Markdown table, with a line for each row. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('');
}

/** The first cells of the table between `<!-- name -->` and `<!-- end -->`, without their backticks. */
export function readFirstColumn(document: string, name: string): string[] {
  const part = readDocument(document).split(`<!-- ${name} -->`)[1]?.split('<!-- end -->')[0] ?? '';
  return [...part.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1]!);
}
