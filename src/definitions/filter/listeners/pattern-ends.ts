import type { CompiledField, CompiledFilter, CompiledLeaf, CompiledObject } from '../match-payload.ts';

/** A condition that ends a path. An object condition without fields requires an object. */
export type EndCondition = CompiledLeaf | CompiledObject;

/** A path of a pattern, from `headers` or `payload` on, with its condition. If no value at the path meets it, nothing matches. */
export interface PatternEnd<Condition = EndCondition> {
  path: readonly string[];
  condition: Condition;
}

/** An end with values of which the payload must have one. */
export type ListingEnd = PatternEnd<CompiledLeaf & { in: ReadonlySet<unknown> }>;

export function listEnds({ parts }: CompiledFilter): PatternEnd[] {
  const ends: PatternEnd[] = [];
  addEnds(parts, [], ends);
  return ends;
}

function addEnds(fields: readonly CompiledField[], above: readonly string[], ends: PatternEnd[]): void {
  for (const { key, condition } of fields) {
    const path = [...above, key];
    if (condition.kind === 'leaf' || condition.fields.length === 0) ends.push({ path, condition });
    else addEnds(condition.fields, path, ends);
  }
}

export function isListing(end: PatternEnd): end is ListingEnd {
  return end.condition.kind === 'leaf' && end.condition.in !== null;
}

/** Does an absent key fail? */
export function requiresPresence(condition: EndCondition): boolean {
  return condition.kind === 'object' || condition.exists === true;
}

/** Equal for conditions without required values that hold for the same values. */
export function identifyEnd(condition: EndCondition): string {
  if (condition.kind === 'object') return condition.kind;
  const { in: _in, notIn: _notIn, listed, ...others } = condition;
  return JSON.stringify([others, listed.notIn]);
}
