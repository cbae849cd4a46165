// Writes docs/schemes/ and docs/reference/signature-schemes.md from the table of schemes and its guides.
// Run it after a change of either: npx tsx scripts/generate-scheme-docs.ts
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { renderSchemePages } from './scheme-docs.ts';

const docs = new URL('../docs/', import.meta.url);
// The pages only: the folder also holds the guides that they are rendered from.
const pages = readdirSync(new URL('schemes/', docs)).filter((name) => name.endsWith('.md'));
for (const name of pages) rmSync(new URL(`schemes/${name}`, docs));
for (const [path, page] of renderSchemePages()) writeFileSync(new URL(path, docs), page);
