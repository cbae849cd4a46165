// Writes the options in docs/reference/configuration.md from the table of options.
// Run it after a change of src/config/options/options.ts: npx tsx scripts/generate-config.ts
import { readFileSync, writeFileSync } from 'node:fs';
import { renewConfigReference } from './config-reference.ts';

const page = new URL('../docs/reference/configuration.md', import.meta.url);

writeFileSync(page, renewConfigReference(readFileSync(page, 'utf8')));
