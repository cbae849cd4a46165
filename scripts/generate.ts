// Writes the files of all generators: npm run generate.
import { writeFileSync } from 'node:fs';
import { GENERATORS } from './generators.ts';

for (const make of Object.values(GENERATORS)) {
  for (const [path, text] of await make()) writeFileSync(new URL(`../${path}`, import.meta.url), text);
}
