import type { Received } from '../../../domain/definitions/trigger.ts';
import { type CompiledFilter, leafHolds, matchesReceived, objectHolds } from '../match-payload.ts';
import { readField } from '../read-field.ts';
import type { Form, ValueListing } from '../values/compile-values.ts';
import { forEachObject, type PathNode, PathTree } from './path-tree.ts';
import {
  type EndCondition,
  identifyEnd,
  isListing,
  type ListingEnd,
  listEnds,
  type PatternEnd,
  requiresPresence,
} from './pattern-ends.ts';

/** One delivery during its evaluation. */
export interface Evaluation<Listener> {
  received: Received;
  /** Distinguishes it from other deliveries. */
  number: number;
  fired: Listener[];
}

/** Whose pattern it is. */
export interface PatternOwner<Listener> {
  listener: Listener;
  /** Number of the last delivery that it fired for: several of its patterns may match. */
  firedFor: number;
}

/** A pattern with the place at which it is filed. */
export interface FiledPattern<Listener> {
  owner: PatternOwner<Listener>;
  filter: CompiledFilter;
  /** What the delivery must list for it to be evaluated; `null` if it is filed under a condition. */
  listing: ListingEnd | ValueListing | null;
  /** All its ends, if it is filed under a condition. */
  shared: readonly SharedEnd<Listener>[];
  /** Number of the last delivery that it was evaluated for: a payload can have several of its values. */
  evaluatedFor: number;
}

/** Most values have one pattern, and a set would take more memory than the rest of it. */
type Patterns<Listener> = FiledPattern<Listener> | Set<FiledPattern<Listener>>;

/** Equal ends of several patterns, evaluated once for all. */
interface SharedEnd<Listener> {
  condition: EndCondition;
  /** Number of patterns with this end. */
  uses: number;
  /** Number of the last delivery in which a value at the path met the condition. */
  heldFor: number;
  /** The patterns that are filed here. */
  patterns: Set<FiledPattern<Listener>>;
}

/** The patterns that list values at the same places, compared in the same way. */
interface FormGroup<Listener> {
  visitForms: ValueListing['visitForms'];
  patterns: Map<Form, Patterns<Listener>>;
}

/**
 * Patterns, each filed under one of its conditions, if possible under the values that a key must have. So the cost of a
 * delivery depends on its payload, not on the number of patterns.
 */
export class FiledPatterns<Listener> {
  readonly #byValue = new PathTree<Patterns<Listener>>();
  readonly #byCondition = new PathTree<SharedEnd<Listener>>();
  /** By `ValueListing.id`. */
  readonly #byForm = new Map<string, FormGroup<Listener>>();
  /** Those that only exclude derived values. Every delivery is compared with them. */
  readonly #others = new Set<FiledPattern<Listener>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @param filter requires something */
  file(owner: PatternOwner<Listener>, filter: CompiledFilter): FiledPattern<Listener> {
    const ends = listEnds(filter);
    const listing = this.#chooseListing(filter, ends);
    const pattern: FiledPattern<Listener> = { owner, filter, listing, shared: [], evaluatedFor: 0 };
    this.#size += 1;
    if (listing === null && ends.length === 0) this.#others.add(pattern);
    else if (listing === null) this.#fileByCondition(pattern, ends);
    else if ('id' in listing) this.#fileByForm(pattern, listing);
    else this.#fileByValue(pattern, listing);
    return pattern;
  }

  unfile(pattern: FiledPattern<Listener>): void {
    const { listing, filter } = pattern;
    this.#size -= 1;
    if (this.#others.delete(pattern)) return;
    if (listing === null) this.#unfileByCondition(pattern, listEnds(filter));
    else if ('id' in listing) this.#unfileByForm(pattern, listing);
    else this.#unfileByValue(pattern, listing);
  }

  /** Adds the listeners whose patterns match. */
  evaluate(evaluation: Evaluation<Listener>): void {
    visitValues(this.#byValue.root, evaluation.received, evaluation);
    for (const { visitForms, patterns } of this.#byForm.values()) {
      visitForms(evaluation.received.payload, (form) => {
        const listing = patterns.get(form);
        if (listing !== undefined) evaluatePatterns(listing, evaluation);
      });
    }
    const held: SharedEnd<Listener>[] = [];
    visitConditions(this.#byCondition.root, evaluation.received, evaluation.number, held);
    for (const { patterns } of held) evaluatePatterns(patterns, evaluation);
    evaluatePatterns(this.#others, evaluation);
  }

  /** The listing whose values have the fewest other patterns, then the one with the fewest values. */
  #chooseListing({ values }: CompiledFilter, ends: readonly PatternEnd[]): ListingEnd | ValueListing | null {
    const ofEnds = ends.filter(isListing).map((listing) => {
      const { path, condition } = listing;
      return { listing, ...countCrowd(condition.in, (value) => this.#byValue.find(path, value)) };
    });
    const ofValues = values.flatMap(({ listing }) => {
      if (listing === null) return [];
      const { id, forms } = listing;
      return [{ listing, ...countCrowd(forms, (form) => this.#byForm.get(id)?.patterns.get(form)) }];
    });
    const ranked = [...ofEnds, ...ofValues].sort((a, b) => a.crowd - b.crowd || a.size - b.size);
    return ranked[0]?.listing ?? null;
  }

  #fileByForm(pattern: FiledPattern<Listener>, { id, forms, visitForms }: ValueListing): void {
    const group = this.#byForm.get(id) ?? { visitForms, patterns: new Map() };
    this.#byForm.set(id, group);
    for (const form of forms) group.patterns.set(form, withPattern(group.patterns.get(form), pattern));
  }

  #unfileByForm(pattern: FiledPattern<Listener>, { id, forms }: ValueListing): void {
    const { patterns } = this.#byForm.get(id)!;
    for (const form of forms) {
      if (isLast(patterns.get(form), pattern)) patterns.delete(form);
    }
    if (patterns.size === 0) this.#byForm.delete(id);
  }

  #fileByValue(pattern: FiledPattern<Listener>, { path, condition }: ListingEnd): void {
    for (const value of condition.in) {
      const others = this.#byValue.find(path, value);
      if (others instanceof Set) others.add(pattern);
      else this.#byValue.set(path, value, withPattern(others, pattern));
    }
  }

  #unfileByValue(pattern: FiledPattern<Listener>, { path, condition }: ListingEnd): void {
    for (const value of condition.in) {
      if (isLast(this.#byValue.find(path, value), pattern)) this.#byValue.delete(path, value);
    }
  }

  /** Prefers a key that must be present: it often is absent, and an excluded value often is, too. */
  #fileByCondition(pattern: FiledPattern<Listener>, ends: readonly PatternEnd[]): void {
    pattern.shared = ends.map((end) => this.#share(end));
    const chosen = pattern.shared.find(({ condition }) => requiresPresence(condition)) ?? pattern.shared[0]!;
    chosen.patterns.add(pattern);
  }

  #unfileByCondition(pattern: FiledPattern<Listener>, ends: readonly PatternEnd[]): void {
    pattern.shared.forEach((shared, index) => {
      const { path, condition } = ends[index]!;
      shared.patterns.delete(pattern);
      shared.uses -= 1;
      if (shared.uses === 0) this.#byCondition.delete(path, identifyEnd(condition));
    });
  }

  #share({ path, condition }: PatternEnd): SharedEnd<Listener> {
    const id = identifyEnd(condition);
    const shared = this.#byCondition.find(path, id) ?? { condition, uses: 0, heldFor: 0, patterns: new Set() };
    if (shared.uses === 0) this.#byCondition.set(path, id, shared);
    shared.uses += 1;
    return shared;
  }
}

/** The number of listed values, and the largest number of patterns that one of them has. */
function countCrowd<Value>(
  listed: ReadonlySet<Value>,
  find: (value: Value) => Patterns<unknown> | undefined,
): { crowd: number; size: number } {
  let crowd = 0;
  for (const value of listed) {
    const patterns = find(value);
    crowd = Math.max(crowd, patterns instanceof Set ? patterns.size : patterns === undefined ? 0 : 1);
  }
  return { crowd, size: listed.size };
}

function withPattern<Listener>(
  others: Patterns<Listener> | undefined,
  pattern: FiledPattern<Listener>,
): Patterns<Listener> {
  if (others === undefined) return pattern;
  return others instanceof Set ? others.add(pattern) : new Set([others, pattern]);
}

/** Removes a pattern from the set. Returns whether no other pattern is left. */
function isLast<Listener>(patterns: Patterns<Listener> | undefined, pattern: FiledPattern<Listener>): boolean {
  if (!(patterns instanceof Set)) return patterns === pattern;
  patterns.delete(pattern);
  return patterns.size === 0;
}

function evaluatePatterns<Listener>(patterns: Patterns<Listener>, evaluation: Evaluation<Listener>): void {
  if (patterns instanceof Set) for (const pattern of patterns) evaluatePattern(pattern, evaluation);
  else evaluatePattern(patterns, evaluation);
}

function evaluatePattern<Listener>(
  pattern: FiledPattern<Listener>,
  { number, received, fired }: Evaluation<Listener>,
): void {
  const { owner, filter, shared } = pattern;
  if (pattern.evaluatedFor === number || owner.firedFor === number) return;
  pattern.evaluatedFor = number;
  if (!allHeld(shared, number) || !matchesReceived(filter, received)) return;
  owner.firedFor = number;
  fired.push(owner.listener);
}

function allHeld(shared: readonly SharedEnd<unknown>[], number: number): boolean {
  for (let index = 0; index < shared.length; index += 1) {
    if (shared[index]!.heldFor !== number) return false;
  }
  return true;
}

/** A node with more children is searched by the keys of the payload. */
const MANY_CHILDREN = 32;

function visitValues<Listener>(
  { children }: PathNode<Patterns<Listener>>,
  object: object,
  evaluation: Evaluation<Listener>,
): void {
  if (children.size <= MANY_CHILDREN) {
    for (const [key, child] of children) visitValue(child, readField(object, key), evaluation);
    return;
  }
  for (const key of Object.keys(object)) {
    const child = children.get(key);
    if (child !== undefined) visitValue(child, readField(object, key), evaluation);
  }
}

function visitValue<Listener>(
  node: PathNode<Patterns<Listener>>,
  value: unknown,
  evaluation: Evaluation<Listener>,
): void {
  if (value === undefined) return;
  if (node.items.size > 0) {
    for (const one of Array.isArray(value) ? value : [value]) {
      const patterns = node.items.get(one);
      if (patterns !== undefined) evaluatePatterns(patterns, evaluation);
    }
  }
  if (node.children.size > 0) forEachObject(value, (object) => visitValues(node, object, evaluation));
}

/**
 * Visits absent keys, too: `not_in` holds for them. Below an absent key nothing holds.
 *
 * @param held receives the conditions that hold and have patterns
 */
function visitConditions<Listener>(
  { children }: PathNode<SharedEnd<Listener>>,
  object: object,
  number: number,
  held: SharedEnd<Listener>[],
): void {
  for (const [key, child] of children) {
    const value = readField(object, key);
    for (const shared of child.items.values()) {
      if (shared.heldFor === number || !holds(shared.condition, value)) continue;
      shared.heldFor = number;
      if (shared.patterns.size > 0) held.push(shared);
    }
    if (child.children.size > 0) forEachObject(value, (below) => visitConditions(child, below, number, held));
  }
}

function holds(condition: EndCondition, value: unknown): boolean {
  return condition.kind === 'leaf' ? leafHolds(condition, value) : objectHolds(condition.fields, value);
}
