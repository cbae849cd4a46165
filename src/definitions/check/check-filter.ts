import type { JsonObject } from '../../domain/json.ts';
import type { FileProblem, ProblemCollector } from '../file-diagnostics.ts';
import { describeValue } from '../filter/describe-value.ts';
import type { FilterPattern, LeafCondition, PatternField, Scalar } from '../filter/pattern.ts';
import { mayCarryCredential } from '../signature/schemes/credential-headers.ts';
import type { KeyPath } from '../yaml/key-path.ts';
import { quote } from '../yaml/key-path.ts';
import type { YamlText } from '../yaml/parse-yaml.ts';

type Suspicion = Pick<FileProblem, 'rule' | 'message' | 'hint'>;

/** A valid filter of a trigger, and where its file has it. */
interface PlacedFilter {
  pattern: FilterPattern;
  /** As declared. */
  filter: JsonObject;
  path: KeyPath;
}

/**
 * Lint rules about a valid filter: conditions that can match, but rarely match what senders send. A condition that can never
 * match is the error `filter/contradiction` of the grammar. Headers that carry credentials are errors, because the value of
 * each tested header is stored.
 */
export function checkFilter(
  { pattern, filter, path }: PlacedFilter,
  yaml: YamlText,
  diagnostics: ProblemCollector,
): void {
  for (const { field, keys } of [...listHeaders(pattern, filter), ...listFields(pattern.payload, ['payload'])]) {
    const place = [...path, ...keys];
    const at = () => yaml.locate(place);
    const suspicion = keys[0] === 'headers' ? suspectHeader(keys.at(-1)!) : suspectKey(field.key);
    if (suspicion !== null) diagnostics.add({ ...suspicion, at: at().key, path: place });
    if (field.condition.kind === 'object') continue;
    for (const found of suspectValues(field.condition)) diagnostics.add({ ...found, at: at().value, path: place });
  }
}

function listHeaders({ headers }: FilterPattern, { headers: declared }: JsonObject): PlacedField[] {
  const names = new Map(Object.keys((declared ?? {}) as JsonObject).map((name) => [name.toLowerCase(), name]));
  return headers.map((field) => ({ field, keys: ['headers', names.get(field.key)!] }));
}

function suspectHeader(name: string): Suspicion | null {
  if (!mayCarryCredential(name)) return null;
  return {
    rule: 'filter/credential-header',
    message: `The header ${name} carries a credential or a signature. The value of each tested header would be stored.`,
    hint: 'Remove the header from the filter. The webhook itself checks the credential.',
  };
}

interface PlacedField {
  field: PatternField;
  keys: string[];
}

function listFields(fields: readonly PatternField[], above: string[]): PlacedField[] {
  return fields.flatMap((field) => {
    const keys = [...above, field.key];
    const below = field.condition.kind === 'object' ? listFields(field.condition.fields, keys) : [];
    return [{ field, keys }, ...below];
  });
}

// `data.issue`, `commits[*].id`, `$.action`, `items[0]`. Not `example.com/name` or `x-y.z`, which some senders use as keys.
const PATH =
  /^(?:\$\.?)?[A-Za-z_]\w*(?:\[[\d*]*\])*(?:\.[A-Za-z_]\w*(?:\[[\d*]*\])*)+$|^\$\.?[A-Za-z_]\w*$|^\w+\[[\d*]*\]$/;
const MAX_KEY = 200;

function suspectKey(key: string): Suspicion | null {
  if (key.length > MAX_KEY || !PATH.test(key)) return null;
  const steps = key
    .replace(/^\$\.?/, '')
    .replace(/\[[^\]]*\]/g, '')
    .split('.');
  const nested = steps.reduceRight((inner, step) => `${step}: ${inner === '…' ? inner : `{${inner}}`}`, '…');
  return {
    rule: 'filter/path-as-key',
    message: `${quote(key)} is one key of the payload, including dots and brackets.`,
    hint: `To test a field inside an object, nest: ${nested}. Elements of arrays are tested automatically.`,
  };
}

function suspectValues({ in: listed, notIn }: LeafCondition): Suspicion[] {
  return [listed ?? [], notIn ?? []].flatMap((values) => {
    const wildcard = values.find(isWildcard);
    const pair = findMixedTypes(values);
    return [
      ...(wildcard === undefined ? [] : [describeWildcard(wildcard)]),
      ...(pair === null ? [] : [describeMixed(pair)]),
    ];
  });
}

// `feature/*`, `*.md`, `^fix`, `/fix-\d+/i`, `fix.*`, and `*` itself. A path such as `/api/v1/` is not an expression.
const WILDCARD = /^\*|[./\w-]\*$|^\^/;
const OPERATOR_OF_EXPRESSION = /[\\^$*+?()[\]|]/;

function isWildcard(value: Scalar): value is string {
  return typeof value === 'string' && (WILDCARD.test(value) || isExpression(value)) && !/\s/.test(value);
}

/** `/body/flags`, read from its last slash: one expression for the whole takes quadratic time. */
function isExpression(value: string): boolean {
  const end = value.lastIndexOf('/');
  if (!value.startsWith('/') || end === 0) return false;
  return OPERATOR_OF_EXPRESSION.test(value.slice(1, end)) && /^[a-z]{0,3}$/.test(value.slice(end + 1));
}

function describeWildcard(value: string): Suspicion {
  return {
    rule: 'filter/wildcard',
    message: `${quote(value)} is compared exactly. Filters do not support wildcards or regular expressions.`,
    hint: 'List the exact values. To test only whether the key exists, write {exists: true}.',
  };
}

interface MixedTypes {
  text: string;
  other: number | boolean;
}

/** A string that looks like a value of another type, in a list with other values of that type. */
function findMixedTypes(values: readonly Scalar[]): MixedTypes | null {
  for (const text of values) {
    if (typeof text !== 'string') continue;
    const read = readAsOther(text);
    const other = values.find((value) => typeof value === typeof read);
    if (read !== null && other !== undefined && !values.includes(read))
      return { text, other: other as number | boolean };
  }
  return null;
}

function readAsOther(text: string): number | boolean | null {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : null;
}

function describeMixed({ text, other }: MixedTypes): Suspicion {
  return {
    rule: 'filter/mixed-types',
    message: `The list contains the string ${quote(text)} and ${describeValue(other)}. Types are never converted, so ${text} in a payload does not match the string.`,
    hint: 'Write the values in the type that the sender sends. Quotes make a value a string.',
  };
}
