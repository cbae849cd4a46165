import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';
import { suggest } from '../../domain/suggest.ts';
import { formatKeyPath, type KeyPath, listAlternatives, quote } from './key-path.ts';

/** One difference between a value and its JSON Schema. */
export interface SchemaProblem {
  code: 'unknown-key' | 'missing-key' | 'wrong-type' | 'invalid-value';
  /** The value; for an unknown or a missing key, that key. */
  path: KeyPath;
  /** Is the problem the key at `path`, or its value? */
  on: 'key' | 'value';
  /** A sentence. */
  message: string;
  /** What to do, as sentences. */
  hint: string;
  /** The rule that the schema names for this problem, if it names one. */
  rule: string | null;
}

/** How the values of one kind of file are described. */
export interface SchemaSubject {
  /** What the whole file is called at the beginning of a sentence. */
  root: string;
  /** What to do about a certain unknown key; `null` for the most similar key or the list of allowed keys. */
  explainUnknownKey?(key: string, path: KeyPath): string | null;
  /**
   * The value as people may see it: as it is written, before environment variables are replaced. `undefined` for a
   * value that must not be shown. If omitted, values are shown as they are.
   */
  written?(path: KeyPath): Json | undefined;
}

/** What a schema says itself about one of its keywords, under `x-says`. */
interface Wording {
  rule?: string;
  message?: string;
  hint?: string;
  /** Another rule reports the problem, with more detail. */
  elsewhere?: boolean;
  /** Of an `enum`: what people write, in lowercase, for one of its values that has another name. */
  alsoCalled?: { [written: string]: string };
}

/**
 * Compares a value with a JSON Schema and describes each difference in words. Each problem is described when it is called
 * for: a hostile file has 100,000 of them.
 */
export function checkSchema(validate: ValidateFunction, value: Json, subject: SchemaSubject): (() => SchemaProblem)[] {
  if (validate(value)) return [];
  const reported = new Set<string>();
  return (validate.errors ?? [])
    .filter((error) => !isConsequence(error) && !findWording(error).elsewhere && !isRepeated(error, reported))
    .map((error) => () => describeError(error, value, subject));
}

/** `if`, the branches of `anyOf` and `false` as a branch only repeat what another error says in full. */
function isConsequence(error: ErrorObject): boolean {
  return error.keyword === 'if' || error.keyword === 'false schema' || /\/anyOf\/\d/.test(error.schemaPath);
}

/** A key may be unknown to a schema and again to one of its branches, which allows less. */
function isRepeated(error: ErrorObject, reported: Set<string>): boolean {
  if (error.keyword !== 'additionalProperties') return false;
  const place = JSON.stringify([error.instancePath, error.params.additionalProperty]);
  const isKnown = reported.has(place);
  reported.add(place);
  return isKnown;
}

type Described = Omit<SchemaProblem, 'rule'>;
type Describe = (error: ErrorObject, path: KeyPath, subject: SchemaSubject) => Described;

function describeError(error: ErrorObject, value: Json, subject: SchemaSubject): SchemaProblem {
  const path = parsePointer(error.instancePath, value);
  const expected = (error.parentSchema as JsonObject)['x-expected'];
  const describe = DESCRIPTIONS[error.keyword] ?? describeOther;
  const described =
    typeof expected === 'string' ? describeUnexpected(expected, path, subject) : describe(error, path, subject);
  const { rule = null, message = described.message, hint = described.hint } = findWording(error);
  return { ...described, rule, message, hint };
}

function findWording(error: ErrorObject): Wording {
  const schema = error.parentSchema as JsonObject;
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const missing = error.keyword === 'required' ? properties[String(error.params.missingProperty)] : undefined;
  return { ...readWording(schema, error.keyword), ...readWording(missing, error.keyword) };
}

function readWording(schema: unknown, keyword: string): Wording {
  const says = isJsonObject(schema) ? schema['x-says'] : undefined;
  return (isJsonObject(says) ? (says[keyword] as Wording | undefined) : undefined) ?? {};
}

/** A value whose schema says in words what it expects (`x-expected`). */
function describeUnexpected(expected: string, path: KeyPath, subject: SchemaSubject): Described {
  const message = describeMismatch(path, expected, subject.written?.(path));
  return { code: 'invalid-value', path, on: 'value', message, hint: '' };
}

/** `written` is `undefined` for a value that must not be shown. */
export function describeMismatch(path: KeyPath, expected: string, written: Json | undefined): string {
  const found = written === undefined ? '' : `, but is ${written === null ? 'empty' : quote(written)}`;
  return `${formatKeyPath(path)} must be ${expected}${found}.`;
}

const DESCRIPTIONS: { [keyword: string]: Describe } = {
  additionalProperties: describeUnknownKey,
  required: describeMissingKey,
  type: describeWrongType,
  enum: (error, path, subject) => describeNotAllowed(error, path, subject, error.params.allowedValues as unknown[]),
  const: (error, path, subject) => describeNotAllowed(error, path, subject, [error.params.allowedValue]),
  pattern: describeWrongForm,
  minItems: (_error, path, subject) =>
    describeInvalid(path, `${nameOf(path, subject)} is an empty list.`, 'List at least one value.'),
};

function describeUnknownKey(error: ErrorObject, path: KeyPath, subject: SchemaSubject): Described {
  const key = String(error.params.additionalProperty);
  const allowed = Object.keys((error.parentSchema as JsonObject).properties as JsonObject);
  const suggestion = suggest(key, allowed);
  const advice = suggestion === null ? `Allowed keys: ${allowed.join(', ')}.` : `Did you mean ${quote(suggestion)}?`;
  const hint = subject.explainUnknownKey?.(key, path) ?? advice;
  const message = `Unknown key ${quote(key)}${placeOf(path)}.`;
  return { code: 'unknown-key', path: [...path, key], on: 'key', message, hint };
}

function describeMissingKey(error: ErrorObject, path: KeyPath): Described {
  const key = String(error.params.missingProperty);
  const message = `The required key ${quote(key)} is missing${placeOf(path)}.`;
  return { code: 'missing-key', path: [...path, key], on: 'key', message, hint: `Add "${key}: …".` };
}

function describeWrongType(error: ErrorObject, path: KeyPath, subject: SchemaSubject): Described {
  const types = [error.params.type as string | string[]].flat().filter((type) => type !== 'null');
  const expected = listAlternatives(types.map((type) => TYPE_NAMES[type] ?? type));
  const message = `${nameOf(path, subject)} must be ${expected}, but is ${describeType(error.data)}.`;
  return { code: 'wrong-type', path, on: 'value', message, hint: hintForType(types, error.data) };
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
    const why = BOOLEANS_OF_YAML_1_1.test(found) ? ` In YAML 1.2, ${found} is a string.` : '';
    return `Write true or false, without quotes.${why}`;
  }
  if (types[0] === 'string' && (typeof found === 'number' || typeof found === 'boolean'))
    return 'Put quotes around the value.';
  if (types[0] === 'array' && typeof found === 'string') return 'Write a list, also for a single entry: [entry].';
  if (found === null && types[0] !== 'object') return 'Write a value after the colon, or remove the key.';
  return `Write ${listAlternatives(types.map((type) => EXAMPLES[type] ?? type))}.`;
}

const EXAMPLES: { [type: string]: string } = {
  string: 'plain text',
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

function describeNotAllowed(error: ErrorObject, path: KeyPath, subject: SchemaSubject, allowed: unknown[]): Described {
  const names = allowed.map(String);
  const suggestion = typeof error.data === 'string' ? suggestAllowed(error, error.data, names) : null;
  const guess = suggestion === null ? '' : `Did you mean ${quote(suggestion)}? `;
  const what = names.length > MAX_IN_SENTENCE ? `one of ${names.length} values` : listAlternatives(names);
  const message = `${nameOf(path, subject)} must be ${what}, but is ${describeScalar(error.data)}.`;
  return describeInvalid(path, message, `${guess}Allowed values: ${names.join(', ')}.`);
}

/** Longer lists are in the hint only. */
const MAX_IN_SENTENCE = 12;

function suggestAllowed(error: ErrorObject, written: string, names: string[]): string | null {
  const { alsoCalled = {} } = readWording(error.parentSchema, error.keyword);
  const name = written.toLowerCase();
  return Object.hasOwn(alsoCalled, name) ? alsoCalled[name]! : suggest(written, names);
}

function describeScalar(value: unknown): string {
  return typeof value === 'string' ? quote(value) : describeType(value);
}

function describeWrongForm(error: ErrorObject, path: KeyPath, subject: SchemaSubject): Described {
  const explanation =
    (error.parentSchema as JsonObject).patternErrorMessage ?? `text that matches ${error.params.pattern}`;
  const [example] = (error.parentSchema as { examples?: unknown[] }).examples ?? [];
  const hint = example === undefined ? 'Write the value in that form.' : `For example: ${String(example)}.`;
  return describeInvalid(path, `${nameOf(path, subject)} is ${quote(error.data)}; it must be ${explanation}.`, hint);
}

const OTHER_HINT = 'Compare it with the example in the reference of definition files.';

/** All other keywords, such as `not` and `anyOf`, which have their messages under `x-says`. */
function describeOther(error: ErrorObject, path: KeyPath, subject: SchemaSubject): Described {
  const message = `${nameOf(path, subject)} is not valid: ${error.message ?? error.keyword}.`;
  return { ...describeInvalid(path, message, OTHER_HINT), on: 'key' };
}

function describeInvalid(path: KeyPath, message: string, hint: string): Described {
  return { code: 'invalid-value', path, on: 'value', message, hint };
}

function nameOf(path: KeyPath, { root }: SchemaSubject): string {
  return path.length > 0 ? formatKeyPath(path) : root;
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
