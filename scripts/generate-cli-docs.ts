// Writes docs/reference/cli.md and the list of manual pages in package.json from the commands themselves.
// Run it after a change of a command, an option or a help text: npx tsx scripts/generate-cli-docs.ts
import { readFileSync, writeFileSync } from 'node:fs';
import { renderCliReference } from './cli-reference.ts';
import { listManFiles } from './man-pages.ts';

writeFileSync(new URL('../docs/reference/cli.md', import.meta.url), await renderCliReference());

const packageFile = new URL('../package.json', import.meta.url);
const description = JSON.parse(readFileSync(packageFile, 'utf8')) as Record<string, unknown>;
description.man = await listManFiles();
writeFileSync(packageFile, `${JSON.stringify(description, null, 2)}\n`);
