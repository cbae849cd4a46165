import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const ROOT = new URL('../', import.meta.url);
export const DIAGRAM_FOLDER = 'docs/diagrams';
export const DIAGRAM_THEMES = ['light', 'dark'] as const;

/** A Mermaid block of a document. Its name follows the language: ```` ```mermaid way-of-a-commit ````. */
export interface Diagram {
  document: string;
  name: string;
  source: string;
}

/** All diagrams in docs/. */
export function listDiagrams(): Diagram[] {
  const documents = readdirSync(new URL('docs/', ROOT), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path.replaceAll('\\', '/')}`);
  return documents.sort().flatMap((document) => {
    const text = readFileSync(new URL(document, ROOT), 'utf8');
    return [...text.matchAll(/^```mermaid *(\S*)\n([\s\S]*?)^```$/gm)].map(([, name = '', source = '']) => {
      return { document, name, source };
    });
  });
}

/** The first line of a picture. It names the source, so that a test can show that the picture is current. */
export function describeSource(source: string): string {
  return `<!-- Mermaid source: sha256 ${createHash('sha256').update(source).digest('hex')} -->`;
}

export function diagramPath(name: string, theme: (typeof DIAGRAM_THEMES)[number]): string {
  return `${DIAGRAM_FOLDER}/${name}-${theme}.svg`;
}
