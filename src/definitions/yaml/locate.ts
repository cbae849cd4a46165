import { type Document, isAlias, isMap, isScalar, isSeq, type Pair } from 'yaml';
import type { Position } from '../../domain/definitions/diagnostic.ts';
import { isMergeKey } from './inspect-nodes.ts';
import type { KeyPath } from './key-path.ts';

/** The position of a value. `key` is the position of its key; for entries of lists and the root, that of the value. */
export interface Located {
  key: Position;
  value: Position;
}

/** Finds the value at `path`, through aliases and merge keys. If the path does not exist, the innermost existing value. */
export function locate(document: Document, path: KeyPath, toPosition: (offset: number) => Position): Located {
  let node: unknown = document.contents;
  let key: unknown = node;
  for (const step of path) {
    const found = findChild(document, resolveAlias(document, node), step);
    if (found === undefined) break;
    node = found.value ?? found.key;
    key = found.key;
  }
  return { key: toPosition(offsetOf(key)), value: toPosition(offsetOf(node)) };
}

/** The opposite of `locate`: the path of the value at an offset, as far as the document was composed. */
export function findPath(document: Document, offset: number): KeyPath {
  const path: (string | number)[] = [];
  let node: unknown = document.contents;
  while (node !== undefined && holdsOffset(node, offset)) {
    const step = stepTowards(node, offset);
    if (step === undefined) break;
    path.push(step.key);
    node = step.value;
  }
  return path;
}

/** The last entry of a map or a list that starts at or before the offset. */
function stepTowards(node: unknown, offset: number): { key: string | number; value: unknown } | undefined {
  if (isSeq(node)) {
    const index = node.items.findLastIndex((item) => offsetOf(item) <= offset);
    return index === -1 ? undefined : { key: index, value: node.items[index] };
  }
  if (!isMap(node)) return undefined;
  const pair = (node.items as Pair[]).findLast(({ key }) => offsetOf(key) <= offset);
  if (pair === undefined || !isScalar(pair.key)) return undefined;
  return { key: String(pair.key.value), value: pair.value };
}

function holdsOffset(node: unknown, offset: number): boolean {
  const range = (node as { range?: [number, number, number] | null } | null)?.range;
  return range != null && range[0] <= offset && offset <= range[2];
}

function findChild(
  document: Document,
  node: unknown,
  step: string | number,
): { key: unknown; value: unknown } | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(step)];
    return item === undefined ? undefined : { key: item, value: item };
  }
  if (!isMap(node)) return undefined;
  const pairs = node.items as Pair[];
  const own = pairs.find(({ key }) => isScalar(key) && !isMergeKey(key) && String(key.value ?? '') === String(step));
  if (own !== undefined) return own;
  return pairs
    .filter(({ key }) => isMergeKey(key))
    .flatMap(({ value }) => listMergeSources(document, value))
    .map((source) => findChild(document, source, step))
    .find((found) => found !== undefined);
}

function listMergeSources(document: Document, value: unknown): unknown[] {
  const source = resolveAlias(document, value);
  return isSeq(source) ? source.items.map((item) => resolveAlias(document, item)) : [source];
}

function resolveAlias(document: Document, node: unknown): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

function offsetOf(node: unknown): number {
  return (node as { range?: [number, number, number] | null } | null)?.range?.[0] ?? 0;
}
