// Writes schemas/config.schema.json and the options in docs/reference/configuration.md from the table of options.
// Run it after a change of src/config/options/options.ts: npx tsx scripts/generate-config.ts
import { readFileSync, writeFileSync } from 'node:fs';
import { renewConfigReference } from './config-reference.ts';
import { buildConfigSchema } from './config-schema.ts';

const schema = new URL('../schemas/config.schema.json', import.meta.url);
const page = new URL('../docs/reference/configuration.md', import.meta.url);

writeFileSync(schema, `${JSON.stringify(buildConfigSchema(), null, 2)}\n`);
writeFileSync(page, renewConfigReference(readFileSync(page, 'utf8')));
