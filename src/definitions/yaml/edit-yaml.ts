import { isDeepStrictEqual } from 'node:util';
import { type Document, isMap, isNode, isScalar, type Pair, parseDocument } from 'yaml';
import type { Json } from '../../domain/json.ts';
import { writeYaml } from '../../domain/words/yaml-text.ts';

/** New values of top-level keys; `undefined` removes a key. */
export type KeyChanges = Readonly<Record<string, Json | undefined>>;

const READ = { schema: 'core', merge: true, stringKeys: true, logLevel: 'silent' } as const;
const WRITE = { lineWidth: 0, flowCollectionPadding: false } as const;

/**
 * Changes top-level keys of a YAML text. Unchanged keys, comments, order and layout are kept, because people read the
 * difference in the history. If the text cannot be edited in place (a flow map at the root), the library rewrites the whole
 * text. If an alias would change together with its value, the text is rewritten without comments.
 */
export function editYaml(text: string, changes: KeyChanges): string {
  const wanted = applyChanges(readValues(text), changes);
  let edited = text;
  for (const [key, value] of Object.entries(changes)) {
    const current = readValues(edited)[key];
    if (!isDeepStrictEqual(current, value)) edited = cutKey(edited, key, value);
  }
  const says = (text: string) => isDeepStrictEqual(readValues(text), wanted);
  if (says(edited)) return edited;
  const rewritten = rewrite(text, changes);
  return says(rewritten) ? rewritten : writeYaml(wanted);
}

/** The top-level values; empty for a text that is not a map. */
export function readValues(text: string): Record<string, Json> {
  try {
    const value: unknown = parseDocument(text, READ).toJS({ maxAliasCount: 100 });
    return typeof value === 'object' && value !== null ? (value as Record<string, Json>) : {};
  } catch {
    return {};
  }
}

function applyChanges(values: Record<string, Json>, changes: KeyChanges): Record<string, Json> {
  const entries = Object.entries({ ...values, ...changes }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Record<string, Json>;
}

function cutKey(text: string, key: string, value: Json | undefined): string {
  const pair = findPair(parseDocument(text, READ), key);
  if (pair === undefined) return value === undefined ? text : appendKey(text, key, value);
  const place = findPlace(text, pair);
  if (place === null) return text;
  if (value === undefined) return text.slice(0, place.lineStart) + text.slice(place.lineEnd);
  if (place.scalar !== null && !isCollection(value)) {
    return text.slice(0, place.scalar[0]) + writeScalar(value) + text.slice(place.scalar[1]);
  }
  return text.slice(0, place.lineStart) + writeYaml({ [key]: value }) + text.slice(place.lineEnd);
}

function findPair(document: Document, key: string): Pair | undefined {
  const root = document.contents;
  if (!isMap(root) || root.flow) return undefined;
  return root.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key);
}

interface Place {
  /** From the start of the key's line to the end of the value's last line. */
  lineStart: number;
  lineEnd: number;
  /** The value's own text, for a scalar that ends on its line. */
  scalar: readonly [number, number] | null;
}

function findPlace(text: string, { key, value }: Pair): Place | null {
  const keyRange = isNode(key) ? key.range : null;
  const valueRange = isNode(value) ? value.range : null;
  if (!keyRange || !valueRange) return null;
  const lineStart = text.lastIndexOf('\n', keyRange[0] - 1) + 1;
  const isAtLineEnd = valueRange[1] > lineStart && text[valueRange[1] - 1] === '\n';
  const newline = text.indexOf('\n', valueRange[1]);
  const lineEnd = isAtLineEnd ? valueRange[1] : newline === -1 ? text.length : newline + 1;
  const isInline = isScalar(value) && valueRange[1] > valueRange[0] && !isAtLineEnd;
  return { lineStart, lineEnd, scalar: isInline ? [valueRange[0], valueRange[1]] : null };
}

function appendKey(text: string, key: string, value: Json): string {
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  return `${text}${gap}${writeYaml({ [key]: value })}`;
}

function isCollection(value: Json): boolean {
  return typeof value === 'object' && value !== null;
}

/** Always on one line. */
function writeScalar(value: Json): string {
  const text = writeYaml({ key: value }).slice('key: '.length).trimEnd();
  return text.includes('\n') ? JSON.stringify(value) : text;
}

function rewrite(text: string, changes: KeyChanges): string {
  const document = parseDocument(text, READ);
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) document.delete(key);
    else document.set(key, value);
  }
  return document.toString(WRITE);
}
