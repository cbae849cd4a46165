// JSON Schemas of the OpenAPI document as text of Markdown pages: the type of a value, and the rows of a table of fields.

/** More values than this are cut: the provider names would fill a page. */
const MAX_VALUES = 12;

const FORMATS = { 'date-time': 'time (RFC 3339)' };

/** The type of a value, for example `string or null`, or a link to the object. */
export function describeType(schema) {
  if (schema.$ref !== undefined) return linkToObject(schema);
  if (schema.anyOf !== undefined) return schema.anyOf.map(describeType).join(' or ');
  const types = [schema.type ?? 'any value'].flat().map((type) => describeOne(schema, type));
  return types.join(' or ');
}

function describeOne(schema, type) {
  if (type === 'array') return `array of ${describeType(schema.items ?? {})}`;
  if (type === 'string') return FORMATS[schema.format] ?? 'string';
  return type;
}

/** A link to the description of the object that a reference names. */
export function linkToObject({ $ref }) {
  const name = $ref.slice($ref.lastIndexOf('/') + 1);
  return `[${name}](objects.md#${name.toLowerCase()})`;
}

/** Rows `[name, type, description]` for the keys of an object, and for the keys of objects in it: `a.b`, `list[].c`. */
export function listFields(schema, prefix = '') {
  return Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    const name = `${prefix}${key}`;
    const mark = schema.required?.includes(key) ? '' : ' (optional)';
    const inner = value.items ?? value;
    const suffix = value.items === undefined ? '.' : '[].';
    return [[`\`${name}\`${mark}`, describeType(value), describeValue(value)], ...listFields(inner, name + suffix)];
  });
}

/** The description of a value, its allowed values and its limits. */
export function describeValue(schema) {
  const { description = '', items = {} } = schema;
  const facts = [description, describeValues(schema), describeValues(items), describeDefault(schema)];
  const limits = [...listLimits(schema), ...listLimits(items)];
  return [...facts, limits.length === 0 ? '' : `Limits: ${limits.join(', ')}.`].filter(Boolean).join(' ');
}

function describeValues({ enum: values, const: constant }) {
  const all = values ?? (constant === undefined ? [] : [constant]);
  if (all.length === 0) return '';
  const shown = all.slice(0, MAX_VALUES).map((value) => `\`${value}\``);
  const rest = all.length > MAX_VALUES ? `, and ${all.length - MAX_VALUES} more` : '';
  return `${all.length === 1 ? 'Always' : 'One of'} ${shown.join(', ')}${rest}.`;
}

function describeDefault({ default: value }) {
  return value === undefined ? '' : `Default: \`${JSON.stringify(value)}\`.`;
}

const LIMITS = {
  minLength: (value) => (value > 1 ? `at least ${value} characters` : null),
  maxLength: (value) => `at most ${value} characters`,
  minimum: (value) => `at least ${value}`,
  maximum: (value) => `at most ${value}`,
  minItems: (value) => `at least ${value} items`,
  maxItems: (value) => `at most ${value} items`,
  pattern: (value) => `pattern \`${value}\``,
};

function listLimits(schema) {
  return Object.entries(LIMITS).flatMap(([key, describe]) =>
    schema[key] === undefined ? [] : (describe(schema[key]) ?? []),
  );
}
