import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * The build of the YAML library for browsers, used in place of the one for Node.js. That one reads an environment variable
 * for each token, to print the token for debugging: it takes a third of the time of parsing, and it would make the daemon
 * print definitions.
 */
const library = join(dirname(createRequire(import.meta.url).resolve('yaml/package.json')), 'browser/index.js');

/** Alias for Vite and Vitest. */
export const YAML_LIBRARY = { find: /^yaml$/, replacement: library };
