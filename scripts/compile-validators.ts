// The module that replaces src/yaml/validators.ts in dist/: the validators of all schemas, compiled by ajv at build.
import standaloneCode from 'ajv/dist/standalone/index.js';
import { createAjv, readValidationSchema } from '../src/yaml/create-ajv.ts';
import { SCHEMA_NAMES, type SchemaName } from '../src/yaml/schemas.ts';

/** The text of the module. It imports nothing, and evaluates the code of a schema when its validator is first used. */
export function compileValidators(): string {
  const loaders = SCHEMA_NAMES.map((name) => `${name}: () => {\n${compileValidator(name)}\n}`);
  return `const LOADERS = { ${loaders.join(', ')} };
const loaded = new Map();
export function validatorOf(name) {
  let validate = loaded.get(name);
  if (validate === undefined) loaded.set(name, (validate = LOADERS[name]()));
  return validate;
}
`;
}

/** The body of a function that returns the validator. */
function compileValidator(name: SchemaName): string {
  const ajv = createAjv({ source: true });
  const code = standaloneCode.default(ajv, ajv.compile(readValidationSchema(name)));
  // Some keywords (minLength, uniqueItems, format) need functions of ajv, which the code loads in a way that modules lack.
  if (code.includes('require(')) throw new Error(`schemas/${name}.schema.json uses a keyword that needs code of ajv.`);
  return `const module = { exports: null };\n${code.replace(/module\.exports\.default = \w+;/, '')}\nreturn module.exports;`;
}

/** Plugin of Vite that puts that module instead of the source. */
export function replaceValidators(): { name: string; load(id: string): string | null } {
  return {
    name: 'compiled-validators',
    load: (id) => (id.endsWith('/src/yaml/validators.ts') ? compileValidators() : null),
  };
}
