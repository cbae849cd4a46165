import type { ErrorObject } from 'ajv';
import type { JsonObject } from '../../core/json.ts';
import { isJsonObject } from '../../core/json.ts';
import type { RuleId } from '../../core/rules.ts';
import { suggest } from '../../core/suggest.ts';
import { formatKeyPath, type KeyPath, listAlternatives, quote } from '../../yaml/key-path.ts';
import type { YamlText } from '../../yaml/parse-yaml.ts';
import { type SchemaKind, schemaOf } from '../../yaml/schemas.ts';
import type { Finding, Findings } from '../findings.ts';

/** What a schema says itself about one of its keywords, under `x-says`. */
interface Wording {
  rule?: RuleId;
  message?: string;
  hint?: string;
  /** A rule that knows more than the schema reports it. */
  elsewhere?: boolean;
  /** Of an `enum`: what people write, in lowercase, for one of its values that has another name. */
  alsoCalled?: { [written: string]: string };
}

/** Compares a parsed text with the JSON Schema of its kind and adds a finding for each difference. */
export function checkSchema(kind: SchemaKind, yaml: YamlText, findings: Findings): void {
  const validate = schemaOf(kind);
  if (validate(yaml.value)) return;
  const said = new Set<string>();
  const errors = (validate.errors ?? []).filter(
    (error) => !isConsequence(error) && !findWording(error).elsewhere && !isRepeated(error, said),
  );
  findings.addAll(errors.map((error) => () => describeError(kind, error, yaml)));
}

/** `if` and the branches of `anyOf` only repeat what another error says in full. */
function isConsequence(error: ErrorObject): boolean {
  return error.keyword === 'if' || /\/anyOf\/\d/.test(error.schemaPath);
}

/** A key may be unknown to a schema and again to one of its branches, which allows less. */
function isRepeated(error: ErrorObject, said: Set<string>): boolean {
  if (error.keyword !== 'additionalProperties') return false;
  const place = JSON.stringify([error.instancePath, error.params.additionalProperty]);
  const isKnown = said.has(place);
  said.add(place);
  return isKnown;
}

type Describe = (kind: SchemaKind, error: ErrorObject, path: KeyPath) => Omit<Finding, 'at'> & { onKey: boolean };

function describeError(kind: SchemaKind, error: ErrorObject, yaml: YamlText): Finding {
  const describe = DESCRIPTIONS[error.keyword] ?? describeOther;
  const { onKey, ...finding } = describe(kind, error, parsePointer(error.instancePath, yaml.value));
  const located = yaml.locate(finding.path);
  return { ...finding, ...findWording(error), at: onKey ? located.key : located.value };
}

function findWording(error: ErrorObject): Wording {
  const schema = error.parentSchema as JsonObject;
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const missing = error.keyword === 'required' ? properties[String(error.params.missingProperty)] : undefined;
  return { ...wordingOf(schema, error.keyword), ...wordingOf(missing, error.keyword) };
}

function wordingOf(schema: unknown, keyword: string): Wording {
  const says = isJsonObject(schema) ? schema['x-says'] : undefined;
  return (isJsonObject(says) ? (says[keyword] as Wording | undefined) : undefined) ?? {};
}

const DESCRIPTIONS: { [keyword: string]: Describe } = {
  additionalProperties: describeUnknownKey,
  required: describeMissingKey,
  type: describeWrongType,
  enum: (kind, error, path) => describeNotAllowed(kind, error, path, error.params.allowedValues as unknown[]),
  const: (kind, error, path) => describeNotAllowed(kind, error, path, [error.params.allowedValue]),
  pattern: describeWrongForm,
  minItems: (kind, _error, path) =>
    invalid(kind, path, `${nameOf(kind, path)} is an empty list.`, 'List at least one.'),
};

function describeUnknownKey(kind: SchemaKind, error: ErrorObject, path: KeyPath): ReturnType<Describe> {
  const key = String(error.params.additionalProperty);
  const allowed = Object.keys((error.parentSchema as JsonObject).properties as JsonObject);
  const meant = suggest(key, allowed);
  const hint = meant === null ? explainUnknownKey(kind, key, path, allowed) : `Did you mean ${quote(meant)}?`;
  return {
    // Every key of factory.yaml is accepted: other tools have theirs there.
    rule: `${kind as Exclude<SchemaKind, 'factory'>}/unknown-key`,
    path: [...path, key],
    message: `The key ${quote(key)} does not exist${placeOf(path)}.`,
    hint,
    onKey: true,
  };
}

function explainUnknownKey(kind: SchemaKind, key: string, path: KeyPath, allowed: string[]): string {
  if (key === 'name' && path.length === 0) {
    const place = kind === 'webhook' ? 'file' : 'folder';
    return `Remove it: the name of the ${kind} is the name of its ${place}.`;
  }
  return `Allowed keys: ${allowed.join(', ')}.`;
}

function describeMissingKey(kind: SchemaKind, error: ErrorObject, path: KeyPath): ReturnType<Describe> {
  const key = String(error.params.missingProperty);
  const message = `The required key ${quote(key)} is missing${placeOf(path)}.`;
  return { rule: `${kind}/missing-key`, path: [...path, key], message, hint: `Add "${key}: …".`, onKey: true };
}

function describeWrongType(kind: SchemaKind, error: ErrorObject, path: KeyPath): ReturnType<Describe> {
  const types = [error.params.type as string | string[]].flat();
  const expected = listAlternatives(types.map((type) => TYPE_NAMES[type] ?? type));
  const message = `${nameOf(kind, path)} must be ${expected}, but is ${describeType(error.data)}.`;
  return { rule: `${kind}/wrong-type`, path, message, hint: hintForType(types, error.data), onKey: false };
}

const TYPE_NAMES: { [type: string]: string } = {
  string: 'a string',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  array: 'a list',
  object: 'a map',
};

const BOOLEANS_OF_YAML_1_1 = /^(?:y|yes|no|n|on|off)$/i;

function hintForType(types: string[], found: unknown): string {
  if (types.includes('boolean') && typeof found === 'string') {
    const why = BOOLEANS_OF_YAML_1_1.test(found) ? ` In YAML 1.2, ${found} is a text.` : '';
    return `Write true or false, without quotes.${why}`;
  }
  if (types[0] === 'string' && (typeof found === 'number' || typeof found === 'boolean'))
    return 'Put quotes around it.';
  if (types[0] === 'array' && typeof found === 'string') return 'Write a list, also for a single entry: [entry].';
  if (found === null && types[0] !== 'object')
    return 'Write a value after the colon; a key without one is not the same as no key.';
  return `Write ${listAlternatives(types.map((type) => EXAMPLES[type] ?? type))}.`;
}

const EXAMPLES: { [type: string]: string } = {
  string: 'a plain text',
  boolean: 'true or false',
  integer: 'a whole number such as 7',
  number: 'a number such as 7',
  array: 'a list such as [entry]',
  object: 'keys with values such as "key: value"',
};

/** The type of a value for people; never the value, which may be a misplaced secret. */
function describeType(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  return typeof value === 'boolean' ? `the boolean ${value}` : `a ${typeof value}`;
}

function describeNotAllowed(
  kind: SchemaKind,
  error: ErrorObject,
  path: KeyPath,
  allowed: unknown[],
): ReturnType<Describe> {
  const names = allowed.map(String);
  const meant = typeof error.data === 'string' ? findMeant(error, error.data, names) : null;
  const guess = meant === null ? '' : `Did you mean ${quote(meant)}? `;
  const what = names.length > MAX_IN_SENTENCE ? `one of ${names.length} texts` : listAlternatives(names);
  const message = `${nameOf(kind, path)} must be ${what}, but is ${describeScalar(error.data)}.`;
  return invalid(kind, path, message, `${guess}Allowed: ${names.join(', ')}.`);
}

/** Longer lists stand in the hint alone. */
const MAX_IN_SENTENCE = 12;

function findMeant(error: ErrorObject, written: string, names: string[]): string | null {
  const { alsoCalled = {} } = wordingOf(error.parentSchema, error.keyword);
  const name = written.toLowerCase();
  return Object.hasOwn(alsoCalled, name) ? alsoCalled[name]! : suggest(written, names);
}

function describeScalar(value: unknown): string {
  return typeof value === 'string' ? quote(value) : describeType(value);
}

function describeWrongForm(kind: SchemaKind, error: ErrorObject, path: KeyPath): ReturnType<Describe> {
  const explanation =
    (error.parentSchema as JsonObject).patternErrorMessage ?? `a text that matches ${error.params.pattern}`;
  const [example] = (error.parentSchema as { examples?: unknown[] }).examples ?? [];
  const hint = example === undefined ? 'Write it in that form.' : `Write, for example, ${String(example)}.`;
  return invalid(kind, path, `${nameOf(kind, path)} is ${quote(error.data)}; it must be ${explanation}.`, hint);
}

const OTHER_HINT = 'Compare it with the example in the reference of definition files.';

/** Whatever the tables above do not word, such as the `not` and `anyOf` that word themselves under `x-says`. */
function describeOther(kind: SchemaKind, error: ErrorObject, path: KeyPath): ReturnType<Describe> {
  return {
    ...invalid(kind, path, `${nameOf(kind, path)} is not valid: ${error.message ?? error.keyword}.`, OTHER_HINT),
    onKey: true,
  };
}

function invalid(kind: SchemaKind, path: KeyPath, message: string, hint: string): ReturnType<Describe> {
  return { rule: `${kind}/invalid-value`, path, message, hint, onKey: false };
}

function nameOf(kind: SchemaKind, path: KeyPath): string {
  if (path.length > 0) return formatKeyPath(path);
  return kind === 'automation' ? 'The front matter' : 'The file';
}

function placeOf(path: KeyPath): string {
  return path.length === 0 ? '' : ` in ${formatKeyPath(path)}`;
}

/** A JSON pointer as keys and indexes of `root`; ajv writes both as text. */
function parsePointer(pointer: string, root: unknown): KeyPath {
  const path: (string | number)[] = [];
  let value = root;
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(value) ? Number(key) : key);
    value = (value as { [key: string]: unknown } | null)?.[key];
  }
  return path;
}
