import type { Document, Node, Pair, YAMLMap } from 'yaml';
import { isAlias, isMap, isNode, isScalar, isSeq } from 'yaml';
import { suggest } from '../core/suggest.ts';
import { escapeText } from '../words/escape-text.ts';
import type { ListValues, WrittenValues } from './option-values.ts';
import { OptionValues } from './option-values.ts';
import type { Option, OptionNode, OptionSection } from './options.ts';
import type { OptionValue } from './parse-value.ts';
import { parseValue, readFromText } from './parse-value.ts';
import type { Environment } from './substitute-environment.ts';
import { substituteEnvironment } from './substitute-environment.ts';

/** One thing that is wrong. */
export interface ConfigProblem {
  /** `file:line:column`, a variable's name, or what else the value came from. */
  where: string;
  /** Key path, for example `factories[0].source.url`; `''` for the whole file. */
  path: string;
  message: string;
}

/** Where a document came from and what it needs to be read. */
export interface ReadContext {
  document: Document;
  env: Environment;
  /** What relative paths start from. */
  folder: string;
  /** Says where something stands; `offset` counts characters, `null` where the document was not read from text. */
  locate: (offset: number | null) => string;
  problems: ConfigProblem[];
}

/** Reads a whole document against the table of options; every finding goes to `problems`. */
export function readDocument(context: ReadContext, tree: OptionSection): OptionValues {
  const root = context.document.contents;
  return collectValues(context, tree, isNode(root) ? root : null, '');
}

/** What one section and those below it hold. */
interface Collected {
  written: WrittenValues;
  lists: ListValues;
}

function collectValues(context: ReadContext, section: OptionSection, node: Node | null, path: string): OptionValues {
  const collected: Collected = { written: new Map(), lists: new Map() };
  readSection(context, section, node, path, collected);
  return new OptionValues(collected.written, context.folder, collected.lists);
}

function readSection(
  context: ReadContext,
  section: OptionSection,
  unresolved: Node | null,
  path: string,
  collected: Collected,
): void {
  const node = resolve(context, unresolved);
  const isEmpty = node === null || (isScalar(node) && node.value === null);
  if (!isEmpty && !isMap(node)) {
    report(context, offsetOf(node), path, 'expected keys with values');
    return;
  }
  const pairs = isEmpty ? [] : (node as YAMLMap).items;
  if (reportLaterType(context, section, pairs, path)) return;
  const { children } = withoutForeign(section, pairs);
  const found = matchKeys(context, { ...section, children }, pairs, path);
  for (const [name, child] of children) {
    const childPath = path === '' ? name : `${path}.${name}`;
    const value = found.get(name);
    if (value !== undefined) readChild(context, child, value, childPath, collected);
    else if (isRequired(child)) report(context, offsetOf(node), path, `the key "${name}" is missing`);
  }
}

/** The section without the keys that belong to another `type` than the one written. */
function withoutForeign(section: OptionSection, pairs: Pair[]): OptionSection {
  const written = pairs.find((pair) => nameOf(pair) === 'type')?.value;
  const type = isScalar(written) ? written.value : null;
  const known = section.children.get('type');
  const isKnown =
    known?.kind === 'option' &&
    known.option.type.kind === 'choice' &&
    known.option.type.values.some((value) => value === type);
  if (!isKnown) return section;
  const own = [...section.children].filter(([, child]) => {
    return child.kind !== 'option' || child.option.onlyWith === undefined || child.option.onlyWith === type;
  });
  return { ...section, children: new Map(own) };
}

function readChild(
  context: ReadContext,
  child: OptionNode,
  value: Node | null,
  path: string,
  collected: Collected,
): void {
  if (child.kind === 'section') {
    readSection(context, child.section, value, path, collected);
    return;
  }
  if (child.kind === 'sections') {
    collected.lists.set(child.item.key, readItems(context, child.item, value, path));
    return;
  }
  const read = readOption(context, child.option, value, path);
  if (read !== null) collected.written.set(child.key, { value: read, where: context.locate(offsetOf(value)) });
}

function readItems(context: ReadContext, item: OptionSection, unresolved: Node | null, path: string): OptionValues[] {
  const node = resolve(context, unresolved);
  if (node === null || (isScalar(node) && node.value === null)) return [];
  if (!isSeq(node)) {
    report(context, offsetOf(node), path, 'expected a list');
    return [];
  }
  return node.items.map((each, index) => collectValues(context, item, isNode(each) ? each : null, `${path}[${index}]`));
}

/** The values of the keys that the section knows; the others are findings. */
function matchKeys(
  context: ReadContext,
  section: OptionSection,
  pairs: Pair[],
  path: string,
): Map<string, Node | null> {
  const found = new Map<string, Node | null>();
  for (const pair of pairs) {
    const name = nameOf(pair);
    if (section.children.has(name)) found.set(name, isNode(pair.value) ? pair.value : null);
    else report(context, keyOffsetOf(pair), path, describeUnknownKey(name, section));
  }
  return found;
}

function describeUnknownKey(name: string, section: OptionSection): string {
  const known = [...section.children.keys()];
  const meant = suggest(name, known);
  const hint = meant === null ? `known are ${known.join(', ')}` : `did you mean "${meant}"?`;
  return `unknown key "${escapeText(name.slice(0, 100))}"; ${hint}`;
}

/** The other keys of a section whose `type` comes later would be unknown here for no fault of theirs. */
function reportLaterType(context: ReadContext, section: OptionSection, pairs: Pair[], path: string): boolean {
  const type = section.children.get('type');
  const pair = pairs.find((each) => nameOf(each) === 'type');
  if (type?.kind !== 'option' || type.option.type.kind !== 'choice' || pair === undefined) return false;
  const value = isScalar(pair.value) ? pair.value.value : null;
  if (typeof value !== 'string' || !type.option.type.later.includes(value)) return false;
  readOption(context, type.option, isNode(pair.value) ? pair.value : null, `${path}.type`);
  return true;
}

function isRequired(node: OptionNode): boolean {
  if (node.kind === 'option') return node.option.required === true;
  if (node.kind === 'sections' || node.section.isOptional) return false;
  return [...node.section.children.values()].some(isRequired);
}

/** The value as the daemon holds it; `null` after a finding, and for an empty value where there is no default. */
function readOption(context: ReadContext, option: Option, unresolved: Node | null, path: string): OptionValue | null {
  const node = resolve(context, unresolved);
  const plain = toPlain(context, node, path);
  if (plain === null) return null;
  if (plain.value === null && option.default === null && option.required !== true) return null;
  const isFromVariable = plain.isSubstituted && typeof plain.value === 'string';
  const value = isFromVariable ? readFromText(option.type, plain.value as string) : plain.value;
  const parsed = parseValue(option.type, value, context.folder);
  if (parsed.ok) return parsed.value;
  const shown = option.secret ? '' : `, found ${describe(plain.written)}`;
  report(context, offsetOf(node), path, `expected ${parsed.expected}${shown}`);
  return null;
}

interface PlainValue {
  value: unknown;
  /** As the file shows it: the values of environment variables may be secrets. */
  written: unknown;
  isSubstituted: boolean;
}

/** Scalars and lists of scalars with variables put in; `null` after a finding. */
function toPlain(context: ReadContext, node: Node | null, path: string): PlainValue | null {
  if (node === null) return { value: null, written: null, isSubstituted: false };
  if (isScalar(node)) return substitute(context, node, node.value, path);
  if (!isSeq(node)) return { value: {}, written: 'keys with values', isSubstituted: false };
  const items = node.items.map((item, index) => {
    const resolved = resolve(context, isNode(item) ? item : null);
    return toPlain(context, isSeq(resolved) ? null : resolved, `${path}[${index}]`);
  });
  if (items.some((item) => item === null)) return null;
  const known = items.filter((item) => item !== null);
  return { value: known.map((item) => item.value), written: known.map((item) => item.written), isSubstituted: false };
}

function substitute(context: ReadContext, node: Node, written: unknown, path: string): PlainValue | null {
  if (typeof written !== 'string') return { value: written, written, isSubstituted: false };
  const result = substituteEnvironment(written, context.env);
  if (result.ok) return { value: result.text, written, isSubstituted: result.isSubstituted };
  report(context, offsetOf(node), path, result.message);
  return null;
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  const text = JSON.stringify(value) ?? String(value);
  return escapeText(text.length > 80 ? `${text.slice(0, 80)}...` : text);
}

function resolve(context: ReadContext, node: Node | null): Node | null {
  if (!isAlias(node)) return node;
  return node.resolve(context.document) ?? null;
}

function nameOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
}

function keyOffsetOf(pair: Pair): number | null {
  return isNode(pair.key) ? offsetOf(pair.key) : null;
}

function offsetOf(node: Node | null): number | null {
  return node?.range?.[0] ?? null;
}

function report({ locate, problems }: ReadContext, offset: number | null, path: string, message: string): void {
  problems.push({ where: locate(offset), path, message });
}
