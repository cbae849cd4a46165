// Writes what follows from the table of signature schemes and from docs/schemes/guides.yaml: docs/schemes/*.md and
// docs/reference/signature-schemes.md; and the keys of schemas/webhook.schema.json and schemas/automation.schema.json
// that follow from the tables of fields (src/domain/resources), the names of the schemes, and the tables of provider triggers.
// Run it after a change of either: npx tsx scripts/generate-schemes.ts
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { DERIVED_SCHEMAS, renderDefinitionSchema, schemaUrl } from './definition-schemas.ts';
import { renderSchemePages } from './scheme-docs.ts';

const docs = new URL('../docs/', import.meta.url);
const pages = renderSchemePages();
const folder = new URL('schemes/', docs);
for (const file of readdirSync(folder)) {
  if (file.endsWith('.md') && !pages.has(`schemes/${file}`)) rmSync(new URL(file, folder));
}
for (const [path, page] of pages) writeFileSync(new URL(path, docs), page);
for (const name of DERIVED_SCHEMAS) writeFileSync(schemaUrl(name), renderDefinitionSchema(name));
