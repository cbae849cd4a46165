import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';
import { readSchema, type SchemaName } from './schemas.ts';

/** Ajv with the settings that `checkSchema` needs, and the additional keywords of the documents in `schemas/`. */
export function createAjv(code: Options['code'] = {}): Ajv2020 {
  // Checking the documents themselves would take longer than a small factory; a test of them does it.
  // `verbose` gives each error the part of the schema that it violates; `x-says` and `x-expected` in it word the problem.
  const ajv = new Ajv2020({
    validateSchema: false,
    allErrors: true,
    verbose: true,
    strict: true,
    strictRequired: false,
    strictTuples: false,
    allowUnionTypes: true,
    logger: false,
    // All keys of `lint` refer to one definition. Its code is not repeated for each key.
    inlineRefs: false,
    code,
  });
  ajv.addVocabulary(['x-says', 'x-expected', 'patternErrorMessage']);
  return ajv;
}

/** Definitions that are different in the validation of files. */
const REPLACED = {
  // References to environment variables are replaced before the validation, so nothing may pass as one.
  fromEnvironment: false,
  // Its rules check the events and filters, because the schema has no warnings.
  providerTrigger: true,
};

/** The names of definitions that only a replaced one refers to begin with this. A validator contains every definition. */
const FOR_EDITORS = 'providerTrigger.';

/** For editors and documents only. A compiled validator contains its schema, which each command that validates loads. */
const ANNOTATIONS: readonly string[] = ['title', 'description', 'default'];
/** The value of each contains schemas by keys, which may be called like a keyword. */
const SCHEMAS_BY_KEY: readonly string[] = ['properties', '$defs'];
/** The value of each contains no schema. */
const WITHOUT_SCHEMAS: readonly string[] = ['const', 'enum', 'examples', 'x-says'];

/** The document of that name as files are validated with it. */
export function readValidationSchema(name: SchemaName): JsonObject {
  // The draft is declared for editors, some of which know none after 7; nothing in the documents differs between drafts.
  const { $schema: _declared, $defs, ...schema } = readSchema(name);
  if (!isJsonObject($defs)) return omitAnnotations(schema);
  const kept = Object.entries($defs).filter(([key]) => !key.startsWith(FOR_EDITORS));
  const replaced = Object.entries(REPLACED).filter(([key]) => key in $defs);
  return omitAnnotations({ ...schema, $defs: Object.fromEntries([...kept, ...replaced]) });
}

function omitAnnotations(schema: JsonObject): JsonObject {
  // `checkSchema` shows the example of a pattern.
  const isNeeded = (keyword: string) => (keyword === 'examples' ? 'pattern' in schema : !ANNOTATIONS.includes(keyword));
  const needed = Object.entries(schema).filter(([keyword]) => isNeeded(keyword));
  return Object.fromEntries(needed.map(([keyword, value]) => [keyword, omitAnnotationsBelow(keyword, value)]));
}

function omitAnnotationsBelow(keyword: string, value: Json): Json {
  if (WITHOUT_SCHEMAS.includes(keyword)) return value;
  if (Array.isArray(value)) return value.map((entry) => omitAnnotationsBelow(keyword, entry));
  if (!isJsonObject(value)) return value;
  if (!SCHEMAS_BY_KEY.includes(keyword)) return omitAnnotations(value);
  return Object.fromEntries(Object.entries(value).map(([key, schema]) => [key, omitAnnotationsBelow('', schema)]));
}
