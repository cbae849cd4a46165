// Writes docs/reference/cli.md from the commands themselves.
// Run it after a change of a command, an option or a help text: npx tsx scripts/generate-cli-docs.ts
import { writeFileSync } from 'node:fs';
import { renderCliReference } from './cli-reference.ts';

writeFileSync(new URL('../docs/reference/cli.md', import.meta.url), await renderCliReference());
