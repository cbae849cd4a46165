import { type Explanation, explainPayload, findDecidingEntry, type TraceEntry } from './explain.ts';
import { type CompiledField, type CompiledLeaf, matchesPayload } from './match-payload.ts';
import type { LeafCondition, Pattern, PatternField } from './pattern.ts';

/** A compiled payload filter. It has no state, so any number of deliveries can share it. */
export interface CompiledPattern {
  /** Does the payload, parsed by `JSON.parse`, match? */
  matches(payload: unknown): boolean;
  /** The first condition that does not match; `null` if the payload matches. */
  findDecidingEntry(payload: unknown): TraceEntry | null;
  /** The same result with all conditions; slower, for people. */
  explain(payload: unknown): Explanation;
}

/** Compiles a parsed filter; done once per apply. */
export function compilePattern(pattern: Pattern): CompiledPattern {
  const fields = compileFields(pattern);
  return {
    matches: (payload) => matchesPayload(fields, payload),
    findDecidingEntry: (payload) => findDecidingEntry(fields, payload),
    explain: (payload) => explainPayload(fields, payload),
  };
}

/** The fields of a filter, for an evaluation with `matchesPayload`. */
export function compileFields({ fields }: Pick<Pattern, 'fields'>): CompiledField[] {
  return fields.map(compileField);
}

function compileField({ key, condition }: PatternField): CompiledField {
  if (condition.kind === 'leaf') return { key, condition: compileLeaf(condition) };
  return { key, condition: { kind: 'object', fields: compileFields(condition) } };
}

function compileLeaf(leaf: LeafCondition): CompiledLeaf {
  return {
    kind: 'leaf',
    in: leaf.in === null ? null : new Set(leaf.in),
    notIn: leaf.notIn === null ? null : new Set(leaf.notIn),
    exists: leaf.exists,
    listed: { in: leaf.in ?? [], notIn: leaf.notIn ?? [] },
  };
}
