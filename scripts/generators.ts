import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The text of each file, by its path in the repository. */
export type GeneratedFiles = ReadonlyMap<string, string>;

/** Writes the files, which are relative to the current folder. */
export function writeFiles(files: GeneratedFiles): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/**
 * What makes files from the tables of the code, by the name of what it makes: the same bytes on every machine and at any time.
 * A later generator reads what earlier ones wrote (the list of commands names the fields of the API), so each module is imported
 * when it is needed. A test makes everything twice and compares it with the files. Those of `site-documents` and
 * `api-document` are not in git: `npm run build` makes them.
 */
export const GENERATORS = {
  'definition-schemas': async () => (await import('./definition-schemas.ts')).makeDefinitionSchemas(),
  'config-schema': async () => (await import('./config-schema.ts')).makeConfigSchema(),
  'api-summary': async () => (await import('./api-types.ts')).makeApiSummary(),
  'api-document': async () => (await import('./api-types.ts')).makeApiDocument(),
  'site-documents': async () => (await import('./site-documents.ts')).makeSiteDocuments(),
};
