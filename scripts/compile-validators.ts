// The module that replaces src/yaml/validators.ts in dist/: the validators of all schemas, compiled by ajv at build.
import standaloneCode from 'ajv/dist/standalone/index.js';
import { createAjv, readValidationSchema } from '../src/yaml/create-ajv.ts';
import { SCHEMA_NAMES } from '../src/yaml/schemas.ts';

/** The text of the module. It imports nothing. */
export function compileValidators(): string {
  const ajv = createAjv({ source: true, esm: true });
  for (const name of SCHEMA_NAMES) ajv.addSchema({ ...readValidationSchema(name), $id: name }, name);
  const code = standaloneCode.default(ajv, Object.fromEntries(SCHEMA_NAMES.map((name) => [`validate_${name}`, name])));
  // Some keywords (minLength, uniqueItems, format) need functions of ajv, which the code loads in a way that modules lack.
  if (code.includes('require(')) throw new Error('A schema uses a keyword that ajv cannot compile to a plain module.');
  const table = SCHEMA_NAMES.map((name) => `${name}: validate_${name}`).join(', ');
  return `${code}\nconst VALIDATORS = { ${table} };\nexport const validatorOf = (name) => VALIDATORS[name];\n`;
}

/** Plugin of Vite that puts that module instead of the source. */
export function replaceValidators(): { name: string; load(id: string): string | null } {
  return {
    name: 'compiled-validators',
    load: (id) => (id.endsWith('/src/yaml/validators.ts') ? compileValidators() : null),
  };
}
