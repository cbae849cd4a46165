// The modules that replace those of src/definitions/yaml/validators/ in dist/: the validator of each schema, compiled by ajv at build.
import standaloneCode from 'ajv/dist/standalone/index.js';
import { createAjv, readValidationSchema } from '../src/definitions/yaml/create-ajv.ts';
import { SCHEMA_NAMES, type SchemaName } from '../src/definitions/yaml/schemas.ts';

/** The text of that module. It imports nothing, and evaluates its code when the validator is first used. */
export function compileValidator(name: SchemaName): string {
  return `let validate;
export function findValidator() {
  validate ??= load();
  return validate;
}
function load() {
${compileBody(name)}
}
`;
}

/** The body of a function that returns the validator. */
function compileBody(name: SchemaName): string {
  const ajv = createAjv({ source: true });
  const code = standaloneCode.default(ajv, ajv.compile(readValidationSchema(name)));
  // Some keywords (minLength, uniqueItems, format) need functions of ajv, which the code loads in a way that modules lack.
  if (code.includes('require(')) throw new Error(`schemas/${name}.schema.json uses a keyword that needs code of ajv.`);
  return `const module = { exports: null };\n${code.replace(/module\.exports\.default = \w+;/, '')}\nreturn module.exports;`;
}

/** Plugin of Vite that puts those modules instead of the sources. */
export function replaceValidators(): { name: string; load(id: string): string | null } {
  return {
    name: 'compiled-validators',
    load: (id) => {
      const name = SCHEMA_NAMES.find((schema) => id.endsWith(`/src/definitions/yaml/validators/${schema}.ts`));
      return name === undefined ? null : compileValidator(name);
    },
  };
}
