/** The text of each file, by its path in the repository. */
export type GeneratedFiles = ReadonlyMap<string, string>;

/**
 * What makes files from the tables of the code, by the name of what it makes: the same bytes on every machine and at any time.
 * A later generator reads what earlier ones wrote, so each module is imported when it is needed. A test makes everything twice
 * and compares it with the files.
 */
export const GENERATORS: Readonly<Record<string, () => Promise<GeneratedFiles>>> = {
  'definition-schemas': async () => (await import('./definition-schemas.ts')).makeDefinitionSchemas(),
  'config-schema': async () => (await import('./config-schema.ts')).makeConfigSchema(),
  api: async () => (await import('./api-types.ts')).makeApiFiles(),
};
