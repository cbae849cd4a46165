// Writes docs/schemes/ and docs/reference/signature-schemes.md from the table of schemes and its guides.
// Run it after a change of either: npx tsx scripts/generate-scheme-docs.ts
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { renderSchemePages } from './scheme-docs.ts';

const docs = new URL('../docs/', import.meta.url);
rmSync(new URL('schemes/', docs), { recursive: true, force: true });
mkdirSync(new URL('schemes/', docs));
for (const [path, page] of renderSchemePages()) writeFileSync(new URL(path, docs), page);
