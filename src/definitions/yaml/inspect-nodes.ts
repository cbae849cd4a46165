import { isAlias, isMap, isPair, isScalar, isSeq, Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Position } from '../../domain/definitions/diagnostic.ts';
import type { RuleId } from '../../domain/rules.ts';
import type { KeyPath } from './key-path.ts';

/** The rules about the syntax of YAML files. */
type YamlRule = Extract<RuleId, `yaml/${string}`>;

/** One problem of a text. */
export interface YamlProblem {
  rule: YamlRule;
  at: Position;
  path: KeyPath;
  message: string;
  hint: string;
}

/** A problem that the YAML library does not check, with its offset. */
interface NodeProblem {
  rule: YamlRule;
  offset: number;
  message: string;
  hint: string;
}

/** State of a walk in the order of the text. */
interface Walk {
  anchors: Map<string, unknown>;
  /** The values around the current one. */
  open: Set<unknown>;
  aliases: number;
  problems: NodeProblem[];
  changedNumbers: Scalar[];
}

/** What a walk finds. */
interface Inspection {
  problems: NodeProblem[];
  /** Numbers whose text differs from that of their values, such as `1.10` and `01234`. */
  changedNumbers: Scalar[];
}

/**
 * Checks a composed document before its value is built: duplicate keys, unknown anchors, cycles of aliases, merge
 * keys, numbers that JSON cannot hold. Recursion is bounded by the nesting that `parseYaml` allows.
 *
 * @param maxAliases maximum number of aliases. Checked here, because the library reads the whole document to resolve each
 *   alias
 */
export function inspectNodes(root: unknown, maxAliases: number): Inspection {
  const walk: Walk = { anchors: new Map(), open: new Set(), aliases: 0, problems: [], changedNumbers: [] };
  inspectNode(root, walk, maxAliases);
  return walk;
}

function inspectNode(node: unknown, walk: Walk, maxAliases: number): void {
  if (isAlias(node)) inspectAlias(node, walk, maxAliases);
  else if (isScalar(node)) inspectScalar(node, walk);
  else if (isMap(node) || isSeq(node)) inspectCollection(node, walk, maxAliases);
}

function inspectCollection(node: YAMLMap | YAMLSeq, walk: Walk, maxAliases: number): void {
  if (node.anchor) walk.anchors.set(node.anchor, node);
  walk.open.add(node);
  const keys = new Set<string>();
  for (const item of node.items) {
    if (isPair(item)) inspectPair(item.key, item.value, keys, walk, maxAliases);
    else inspectNode(item, walk, maxAliases);
  }
  walk.open.delete(node);
}

function inspectPair(key: unknown, value: unknown, keys: Set<string>, walk: Walk, maxAliases: number): void {
  inspectNode(key, walk, maxAliases);
  inspectNode(value, walk, maxAliases);
  if (isMergeKey(key)) inspectMerge(value, walk);
  else if (isScalar(key)) inspectKey(key, keys, walk);
}

function inspectKey(key: Scalar, keys: Set<string>, walk: Walk): void {
  const name = String(key.value);
  if (keys.has(name)) {
    const message = `The key ${JSON.stringify(name.slice(0, 60))} is written twice in this map.`;
    report(walk, 'yaml/duplicate-key', key, message, 'Remove one of them.');
  }
  keys.add(name);
}

function inspectAlias(node: { source: string; range?: unknown }, walk: Walk, maxAliases: number): void {
  walk.aliases++;
  const target = walk.anchors.get(node.source);
  if (target === undefined) {
    const message = `The alias *${node.source.slice(0, 60)} refers to an anchor that is not defined before it.`;
    report(
      walk,
      'yaml/unknown-anchor',
      node,
      message,
      'Define the anchor with & first, or put quotes around the text.',
    );
  } else if (walk.open.has(target)) {
    const message = `The alias *${node.source.slice(0, 60)} refers to a value that contains it.`;
    report(walk, 'yaml/alias-cycle', node, message, 'Write the value in full instead of using an alias.');
  }
  if (walk.aliases === maxAliases + 1) {
    const message = `Aliases expand more than ${maxAliases} times.`;
    report(walk, 'yaml/alias-limit', node, message, 'Write the values in full instead of using aliases.');
  }
}

function inspectScalar(node: Scalar, walk: Walk): void {
  if (node.anchor) walk.anchors.set(node.anchor, node);
  if (typeof node.value !== 'number') return;
  if (Number.isFinite(node.value)) {
    if (String(node.value) !== node.source) walk.changedNumbers.push(node);
    return;
  }
  const message = `The number ${String(node.source).slice(0, 60)} is infinite or not a number. JSON has no such values.`;
  report(walk, 'yaml/not-json', node, message, 'Write a finite number, or put quotes around the text.');
}

/** Describes a number of `inspectNodes`. */
export function describeChangedNumber({ source, value }: Scalar): Pick<NodeProblem, 'rule' | 'message' | 'hint'> {
  const text = String(source).slice(0, 60);
  const message = `${text} is read as the number ${String(value)}.`;
  const isInexact = Number.isInteger(value) && !Number.isSafeInteger(value);
  const inexact = isInexact ? ' As a number, it equals its neighbors, because it is larger than 2^53.' : '';
  return {
    rule: 'yaml/changed-number',
    message,
    hint: `If a text is meant, put quotes around it: "${text}".${inexact}`,
  };
}

function inspectMerge(value: unknown, walk: Walk): void {
  const source = isAlias(value) ? walk.anchors.get(value.source) : value;
  const sources = isSeq(source) ? source.items : [source];
  const maps = sources.map((item) => (isAlias(item) ? walk.anchors.get(item.source) : item));
  // An alias without an anchor has been reported already.
  if (maps.every((map) => map === undefined || isMap(map))) return;
  const message = 'A merge key (<<) must refer to a map or a list of maps.';
  report(walk, 'yaml/bad-merge', value, message, 'Refer to a map with an anchor, for example "<<: *base".');
}

/** A plain `<<`; in quotes it is an ordinary key. */
export function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === '<<' && (!key.type || key.type === Scalar.PLAIN);
}

function report(walk: Walk, rule: YamlRule, node: unknown, message: string, hint: string): void {
  const range = (node as { range?: [number, number, number] | null } | null)?.range;
  walk.problems.push({ rule, offset: range?.[0] ?? 0, message, hint });
}
