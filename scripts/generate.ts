// Writes the files of all generators: npm run generate.
import { GENERATORS, writeFiles } from './generators.ts';

for (const make of Object.values(GENERATORS)) writeFiles(await make());
