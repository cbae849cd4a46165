import { WantedKeys } from '../core/payload/wanted-keys.ts';
import type { DeliveryFilter, Received } from '../core/trigger.ts';
import { compileFilter } from './compile-pattern.ts';
import {
  type CompiledField,
  type CompiledFilter,
  type CompiledLeaf,
  type CompiledObject,
  leafHolds,
  matchesReceived,
  objectHolds,
} from './match-payload.ts';
import { parseTriggerFilter } from './parse-filter.ts';
import { forEachObject, type PathNode, PathTree } from './path-tree.ts';
import { readField } from './read-field.ts';

/** An automation that a delivery starts. */
export interface Listener {
  automation: string;
  /** `AppliedAutomation.version`. */
  version: number;
  /** The paths of the payload for the concurrency keys of its runs; omitted if they have none. */
  keyPaths?: readonly (readonly string[])[] | undefined;
  /** The labels that a worker needs for its runs; omitted if it needs none. */
  runsOn?: string[] | undefined;
}

/** An automation that listens to a webhook. */
export interface FilteredListener extends Listener {
  /** A disabled automation listens, but never starts. */
  enabled: boolean;
  /** The filters of its triggers for this webhook. One matching filter is sufficient; `{}` matches everything. */
  filters: readonly DeliveryFilter[];
}

/** An apply of a factory. */
export interface LiveApply {
  /** `AppliedFactory.applyNumber`. */
  number: number;
  /** The commit that it made live. */
  revision: string | null;
}

/** The filters of a listener that can be evaluated, compiled. */
export type ListenerPatterns = readonly CompiledFilter[];

/** Compiles filters. A filter that several webhooks share is compiled once, so that they share its memory. */
export class FilterCompiler {
  readonly #compiled = new Map<string, readonly CompiledFilter[]>();

  /** A filter that cannot be evaluated never matches, so the result omits it. */
  compile(filters: readonly DeliveryFilter[]): ListenerPatterns {
    return filters.flatMap((filter) => {
      const key = JSON.stringify(filter);
      const compiled = this.#compiled.get(key);
      return compiled === undefined ? this.#add(key, filter) : compiled;
    });
  }

  #add(key: string, filter: DeliveryFilter): readonly CompiledFilter[] {
    const parsed = parseTriggerFilter(filter);
    const compiled = parsed.ok ? parsed.patterns.map(compileFilter) : [];
    this.#compiled.set(key, compiled);
    return compiled;
  }
}

/**
 * The automations that listen to one webhook. Each filter is filed under one of its conditions, if possible under the
 * values that a key must have. So the cost of a delivery depends on its payload, not on the number of automations.
 *
 * Automations are added and removed in place: an apply changes only those that the commit changed.
 */
export class ListenerIndex {
  /** The apply that this is the result of. */
  apply: LiveApply = { number: 0, revision: null };
  readonly #entries = new Map<string, Entry>();
  /** Automations that every payload starts. */
  readonly #unfiltered = new Set<Entry>();
  readonly #byValue = new PathTree<Patterns>();
  readonly #byCondition = new PathTree<SharedEnd>();
  /** What the filters read of a payload. */
  readonly wanted = new WantedKeys();
  readonly #headers = new Map<string, number>();
  /** Paths that nobody filters, but whose values are needed. */
  #alwaysRead: readonly (readonly string[])[] = [];
  #patterns = 0;
  #deliveries = 0;

  /** Number of automations, including disabled ones. */
  get size(): number {
    return this.#entries.size;
  }

  /** Whether a value of the payload is needed. */
  get needsPayload(): boolean {
    return !this.wanted.isLeaf;
  }

  /** The names of the headers that the filters read, in lowercase, with the number of their uses. */
  get wantedHeaders(): ReadonlyMap<string, number> {
    return this.#headers;
  }

  /** Replaces the paths whose values are read from every payload. */
  readAlways(paths: readonly (readonly string[])[]): void {
    if (paths === this.#alwaysRead) return;
    for (const path of this.#alwaysRead) this.wanted.remove(path, true);
    for (const path of paths) this.wanted.add(path, true);
    this.#alwaysRead = paths;
  }

  has(automation: string): boolean {
    return this.#entries.has(automation);
  }

  /**
   * Replaces an automation with the same name.
   *
   * @param patterns the filters, if they were compiled ahead
   * @param listener what `match` returns, if several indexes share it
   */
  add(
    { automation, version, keyPaths, runsOn, enabled, filters }: FilteredListener,
    patterns: ListenerPatterns = new FilterCompiler().compile(filters),
    listener: Listener = { automation, version, keyPaths, runsOn },
  ): void {
    this.remove(automation);
    const entry: Entry = { listener, filed: [], wanted: [], firedFor: 0 };
    this.#entries.set(automation, entry);
    if (!enabled) return;
    for (const path of listener.keyPaths ?? []) this.wanted.add(path, true);
    entry.wanted = listener.keyPaths ?? [];
    if (patterns.some(({ parts }) => parts.length === 0)) this.#unfiltered.add(entry);
    else for (const filter of patterns) this.#file(entry, filter);
  }

  /** Does nothing if no automation has this name. */
  remove(automation: string): void {
    const entry = this.#entries.get(automation);
    if (entry === undefined) return;
    this.#entries.delete(automation);
    this.#unfiltered.delete(entry);
    for (const path of entry.wanted) this.wanted.remove(path, true);
    for (const filed of entry.filed) this.#unfile(filed);
    this.#patterns -= entry.filed.length;
  }

  /** The automations that a delivery starts, by name. Only keys in `wanted` and `wantedHeaders` are read. */
  match(received: Received): Listener[] {
    const fired = Array.from(this.#unfiltered, ({ listener }) => listener);
    if (this.#patterns > 0) {
      this.#deliveries += 1;
      const evaluation: Evaluation = { received, number: this.#deliveries, held: [], fired };
      visitValues(this.#byValue.root, received, evaluation);
      visitConditions(this.#byCondition.root, received, evaluation);
      for (const { patterns } of evaluation.held) evaluate(patterns, evaluation);
    }
    return fired.length > 1 ? fired.sort(byName) : fired;
  }

  #file(entry: Entry, filter: CompiledFilter): void {
    const pattern: FiledPattern = { entry, filter, shared: NONE, evaluatedFor: 0 };
    const ends = listEnds(filter);
    const listing = this.#chooseListing(ends.filter(isListing));
    entry.filed.push({ pattern, listing });
    this.#patterns += 1;
    for (const end of ends) this.#want(end);
    for (const path of listValuePaths(filter)) this.wanted.add(path, true);
    if (listing !== null) this.#fileByValue(pattern, listing);
    else this.#fileByCondition(pattern, ends);
  }

  #unfile({ pattern, listing }: Entry['filed'][number]): void {
    const ends = listEnds(pattern.filter);
    for (const end of ends) this.#unwant(end);
    for (const path of listValuePaths(pattern.filter)) this.wanted.remove(path, true);
    if (listing !== null) this.#unfileByValue(pattern, listing);
    else this.#unfileByCondition(pattern, ends);
  }

  #want({ path, condition }: PatternEnd): void {
    const name = path[1]!;
    if (path[0] === 'payload') this.wanted.add(path, condition.kind === 'leaf', 1);
    else this.#headers.set(name, (this.#headers.get(name) ?? 0) + 1);
  }

  #unwant({ path, condition }: PatternEnd): void {
    const name = path[1]!;
    const uses = this.#headers.get(name) ?? 0;
    if (path[0] === 'payload') this.wanted.remove(path, condition.kind === 'leaf', 1);
    else if (uses > 1) this.#headers.set(name, uses - 1);
    else this.#headers.delete(name);
  }

  /** The end whose values have the fewest other patterns, then the one with the fewest values. */
  #chooseListing(ends: readonly ListingEnd[]): ListingEnd | null {
    const ranked = ends.map((end) => ({ end, crowd: this.#crowdOf(end), values: end.condition.in.size }));
    ranked.sort((a, b) => a.crowd - b.crowd || a.values - b.values);
    return ranked[0]?.end ?? null;
  }

  #crowdOf({ path, condition }: ListingEnd): number {
    let crowd = 0;
    for (const value of condition.in) {
      const patterns = this.#byValue.find(path, value);
      crowd = Math.max(crowd, patterns instanceof Set ? patterns.size : patterns === undefined ? 0 : 1);
    }
    return crowd;
  }

  #fileByValue(pattern: FiledPattern, { path, condition }: ListingEnd): void {
    for (const value of condition.in) {
      const others = this.#byValue.find(path, value);
      if (others instanceof Set) others.add(pattern);
      else this.#byValue.set(path, value, others === undefined ? pattern : new Set([others, pattern]));
    }
  }

  #unfileByValue(pattern: FiledPattern, { path, condition }: ListingEnd): void {
    for (const value of condition.in) {
      const patterns = this.#byValue.find(path, value);
      if (patterns instanceof Set) patterns.delete(pattern);
      if (patterns === pattern || (patterns instanceof Set && patterns.size === 0)) this.#byValue.delete(path, value);
    }
  }

  /** Prefers a key that must be present: it often is absent, and an excluded value often is, too. */
  #fileByCondition(pattern: FiledPattern, ends: readonly PatternEnd[]): void {
    pattern.shared = ends.map((end) => this.#share(end));
    const chosen = pattern.shared.find(({ condition }) => requiresPresence(condition)) ?? pattern.shared[0]!;
    chosen.patterns.add(pattern);
  }

  #unfileByCondition(pattern: FiledPattern, ends: readonly PatternEnd[]): void {
    pattern.shared.forEach((shared, index) => {
      const { path, condition } = ends[index]!;
      shared.patterns.delete(pattern);
      shared.uses -= 1;
      if (shared.uses === 0) this.#byCondition.delete(path, identify(condition));
    });
  }

  #share({ path, condition }: PatternEnd): SharedEnd {
    const id = identify(condition);
    const shared = this.#byCondition.find(path, id) ?? { condition, uses: 0, heldFor: 0, patterns: new Set() };
    if (shared.uses === 0) this.#byCondition.set(path, id, shared);
    shared.uses += 1;
    return shared;
  }
}

const NONE: readonly SharedEnd[] = [];

interface Entry {
  listener: Listener;
  /** `listing` is the end whose values it is filed under; `null` if it is filed under a condition. */
  filed: { pattern: FiledPattern; listing: ListingEnd | null }[];
  /** The paths that are wanted for its keys. */
  wanted: readonly (readonly string[])[];
  /** Number of the last delivery that it fired for: several of its filters may match. */
  firedFor: number;
}

interface FiledPattern {
  entry: Entry;
  filter: CompiledFilter;
  /** All its ends, if it is filed under a condition. */
  shared: readonly SharedEnd[];
  /** Number of the last delivery that it was evaluated for: a payload can have several of its values. */
  evaluatedFor: number;
}

/** Most values have one pattern, and a set would take more memory than the rest of it. */
type Patterns = FiledPattern | Set<FiledPattern>;

/** A condition that ends a path. An object condition without fields requires an object. */
type EndCondition = CompiledLeaf | CompiledObject;

/** A path of a pattern, from `headers` or `payload` on, with its condition. If no value at the path meets it, nothing matches. */
interface PatternEnd<Condition = EndCondition> {
  path: readonly string[];
  condition: Condition;
}

/** An end with values of which the payload must have one. */
type ListingEnd = PatternEnd<CompiledLeaf & { in: ReadonlySet<unknown> }>;

/** Equal ends of several patterns, evaluated once for all. */
interface SharedEnd {
  condition: EndCondition;
  /** Number of patterns with this end. */
  uses: number;
  /** Number of the last delivery in which a value at the path met the condition. */
  heldFor: number;
  /** The patterns that are filed here. */
  patterns: Set<FiledPattern>;
}

function listEnds({ parts }: CompiledFilter): PatternEnd[] {
  const ends: PatternEnd[] = [];
  addEnds(parts, [], ends);
  return ends;
}

/** The paths of the payload that its conditions on values read. */
function listValuePaths({ trigger }: CompiledFilter): (readonly string[])[] {
  return trigger === null ? [] : trigger.values.flatMap(({ paths }) => paths);
}

function addEnds(fields: readonly CompiledField[], above: readonly string[], ends: PatternEnd[]): void {
  for (const { key, condition } of fields) {
    const path = [...above, key];
    if (condition.kind === 'leaf' || condition.fields.length === 0) ends.push({ path, condition });
    else addEnds(condition.fields, path, ends);
  }
}

function isListing(end: PatternEnd): end is ListingEnd {
  return end.condition.kind === 'leaf' && end.condition.in !== null;
}

/** Does an absent key fail? */
function requiresPresence(condition: EndCondition): boolean {
  return condition.kind === 'object' || condition.exists === true;
}

/** Equal for conditions without required values that hold for the same values. */
function identify(condition: EndCondition): string {
  return condition.kind === 'leaf' ? JSON.stringify([condition.exists, condition.listed.notIn]) : 'object';
}

/** One delivery during its evaluation. */
interface Evaluation {
  received: Received;
  /** Distinguishes it from other deliveries. */
  number: number;
  /** The conditions that hold and have patterns. */
  held: SharedEnd[];
  fired: Listener[];
}

function evaluate(patterns: Patterns, evaluation: Evaluation): void {
  if (patterns instanceof Set) for (const pattern of patterns) evaluatePattern(pattern, evaluation);
  else evaluatePattern(patterns, evaluation);
}

function evaluatePattern(pattern: FiledPattern, { number, received, fired }: Evaluation): void {
  const { entry, filter } = pattern;
  if (pattern.evaluatedFor === number || entry.firedFor === number) return;
  pattern.evaluatedFor = number;
  if (!allHeld(pattern.shared, number) || !matchesReceived(filter, received)) return;
  entry.firedFor = number;
  fired.push(entry.listener);
}

function allHeld(shared: readonly SharedEnd[], number: number): boolean {
  for (let index = 0; index < shared.length; index += 1) {
    if (shared[index]!.heldFor !== number) return false;
  }
  return true;
}

/** A node with more children is searched by the keys of the payload. */
const MANY_CHILDREN = 32;

function visitValues({ children }: PathNode<Patterns>, object: object, evaluation: Evaluation): void {
  if (children.size <= MANY_CHILDREN) {
    for (const [key, child] of children) visitValue(child, readField(object, key), evaluation);
    return;
  }
  for (const key of Object.keys(object)) {
    const child = children.get(key);
    if (child !== undefined) visitValue(child, readField(object, key), evaluation);
  }
}

function visitValue(node: PathNode<Patterns>, value: unknown, evaluation: Evaluation): void {
  if (value === undefined) return;
  if (node.items.size > 0) {
    for (const one of Array.isArray(value) ? value : [value]) {
      const patterns = node.items.get(one);
      if (patterns !== undefined) evaluate(patterns, evaluation);
    }
  }
  if (node.children.size > 0) forEachObject(value, (object) => visitValues(node, object, evaluation));
}

/** Visits absent keys, too: `not_in` holds for them. Below an absent key nothing holds. */
function visitConditions({ children }: PathNode<SharedEnd>, object: object, evaluation: Evaluation): void {
  for (const [key, child] of children) {
    const value = readField(object, key);
    for (const shared of child.items.values()) {
      if (shared.heldFor === evaluation.number || !holds(shared.condition, value)) continue;
      shared.heldFor = evaluation.number;
      if (shared.patterns.size > 0) evaluation.held.push(shared);
    }
    if (child.children.size > 0) forEachObject(value, (below) => visitConditions(child, below, evaluation));
  }
}

function holds(condition: EndCondition, value: unknown): boolean {
  return condition.kind === 'leaf' ? leafHolds(condition, value) : objectHolds(condition.fields, value);
}

function byName(a: Listener, b: Listener): number {
  return a.automation < b.automation ? -1 : 1;
}
