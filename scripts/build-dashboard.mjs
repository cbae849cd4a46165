// Builds src/dashboard/ to dist/dashboard/, unless it was built from the same sources and packages already.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

const SOURCES = 'src/dashboard';
/** Pages of rules come with the dashboard (src/dashboard/parts/rule-pages.ts). */
const RULE_PAGES = 'docs/rules';
const STAMP = 'dist/dashboard/.built-from';

const sources = hashSources();
const isFresh = existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sources;
if (!isFresh) {
  await build({ configFile: join(SOURCES, 'vite.config.ts'), logLevel: 'warn' });
  writeFileSync(STAMP, sources);
}

function hashSources() {
  const files = [SOURCES, RULE_PAGES]
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  const hash = createHash('sha256');
  for (const file of [...files.sort(), 'package-lock.json']) hash.update(file).update('\0').update(readFileSync(file));
  return hash.digest('hex');
}
