import { FILTER_OPERATORS, type FilterOperator, isFilterOperator } from '../../../../domain/words/payload-filters.ts';
import { readCursor } from './read-cursor.ts';

/** A field of stored payloads. Elements of lists use the key of their list. */
export interface PayloadField {
  path: readonly string[];
  /** Scalar values of the field. */
  examples: readonly (string | number | boolean | null)[];
}

/** One completion option. */
export interface FilterOption {
  /** Text that is matched while typing. */
  label: string;
  /** Inserted text. */
  insert: string;
  /** Distance of the cursor from the end of `insert` afterwards. */
  cursorBack: number;
  /** Short description. */
  detail: string;
}

export interface FilterOptions {
  /** Start of the replaced text, which ends at the cursor. */
  from: number;
  options: FilterOption[];
}

/** Completion options at the cursor of a payload filter: keys and values of stored payloads, and operators. */
export function completeFilter(text: string, position: number, fields: readonly PayloadField[]): FilterOptions | null {
  const cursor = readCursor(text, position);
  if (cursor === null) return null;
  const { path, slot, from, taken } = cursor;
  if (slot === 'key') return { from, options: completeKeys(path, taken, fields) };
  const operator = slot === 'value' || path.length > 1 ? readOperator(path.at(-1), path) : null;
  const field = operator === null ? path : path.slice(0, -1);
  if (operator === 'exists') return { from, options: slot === 'value' ? EXISTS_OPTIONS : [] };
  const values = findValues(field, fields).filter((value) => !taken.includes(String(value)));
  if (slot === 'element') return { from, options: values.map((value) => toOption(value, '', '')) };
  const lists = [LIST_OPTION, ...values.map((value) => toOption(value, '[', ']'))];
  return { from, options: operator === null ? [...lists, ...nestingOptions(field, fields)] : lists };
}

const EXISTS_OPTIONS: FilterOption[] = [
  { label: 'true', insert: 'true', cursorBack: 0, detail: 'the key exists' },
  { label: 'false', insert: 'false', cursorBack: 0, detail: 'the key is missing' },
];

const LIST_OPTION: FilterOption = { label: '[ ]', insert: '[]', cursorBack: 1, detail: 'any of these values' };

function readOperator(key: string | undefined, path: readonly string[]): FilterOperator | null {
  return path.length >= 2 && key !== undefined && isFilterOperator(key) ? key : null;
}

function completeKeys(
  path: readonly string[],
  taken: readonly string[],
  fields: readonly PayloadField[],
): FilterOption[] {
  const hasOperator = taken.some(isFilterOperator);
  const keys = hasOperator ? [] : findKeys(path, fields);
  const options = keys.map(({ key, isObject }): FilterOption => {
    const [opening, detail] = isObject ? ['{}', 'object'] : ['[]', 'field'];
    return { label: key, insert: `${JSON.stringify(key)}: ${opening}`, cursorBack: 1, detail };
  });
  const hasKey = taken.length > 0 && !hasOperator;
  const operators = path.length === 0 || hasKey ? [] : FILTER_OPERATORS.map(toOperatorOption);
  return [...options, ...operators].filter(({ label }) => !taken.includes(label));
}

function toOperatorOption(operator: FilterOperator): FilterOption {
  if (operator === 'exists') return { label: operator, insert: '"exists": true', cursorBack: 0, detail: 'operator' };
  return { label: operator, insert: `"${operator}": []`, cursorBack: 1, detail: 'operator' };
}

/** The keys below a path, in the order of the fields. */
function findKeys(path: readonly string[], fields: readonly PayloadField[]): { key: string; isObject: boolean }[] {
  const keys = new Map<string, boolean>();
  for (const field of fields) {
    const key = field.path[path.length];
    if (key === undefined || !startsWith(field.path, path)) continue;
    keys.set(key, keys.get(key) === true || field.path.length > path.length + 1);
  }
  return [...keys].map(([key, isObject]) => ({ key, isObject }));
}

/** Merges fields that several webhooks have in common. */
function findValues(path: readonly string[], fields: readonly PayloadField[]): PayloadField['examples'] {
  const same = fields.filter((field) => field.path.length === path.length && startsWith(field.path, path));
  return [...new Set(same.flatMap(({ examples }) => examples))];
}

function nestingOptions(path: readonly string[], fields: readonly PayloadField[]): FilterOption[] {
  const isObject = findKeys(path, fields).length > 0;
  return [{ label: '{ }', insert: '{}', cursorBack: 1, detail: isObject ? 'nested key or operator' : 'operator' }];
}

function toOption(value: string | number | boolean | null, before: string, behind: string): FilterOption {
  const insert = `${before}${JSON.stringify(value)}${behind}`;
  return { label: String(value), insert, cursorBack: behind.length, detail: value === null ? 'null' : typeof value };
}

function startsWith(path: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((key, i) => path[i] === key);
}
