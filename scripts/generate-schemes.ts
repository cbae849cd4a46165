// Writes what follows from the table of signature schemes and from docs/schemes/guides.yaml: docs/schemes/*.md and
// docs/reference/signature-schemes.md.
// Run it after a change of either: npx tsx scripts/generate-schemes.ts
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { renderSchemePages } from './scheme-docs.ts';

const docs = new URL('../docs/', import.meta.url);
const pages = renderSchemePages();
const folder = new URL('schemes/', docs);
for (const file of readdirSync(folder)) {
  if (file.endsWith('.md') && !pages.has(`schemes/${file}`)) rmSync(new URL(file, folder));
}
for (const [path, page] of pages) writeFileSync(new URL(path, docs), page);
