// Writes docs/rules/ from the table of rules and its guides.
// Run it after a change of either: npx tsx scripts/generate-rule-docs.ts
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { renderRulePages } from './rule-docs.ts';

const root = new URL('../', import.meta.url);
const pages = new URL('docs/rules/', root);
for (const entry of readdirSync(pages, { withFileTypes: true })) {
  if (entry.isDirectory()) rmSync(new URL(`${entry.name}/`, pages), { recursive: true });
}
for (const [path, page] of renderRulePages()) {
  mkdirSync(new URL('.', new URL(path, root)), { recursive: true });
  writeFileSync(new URL(path, root), page);
}
