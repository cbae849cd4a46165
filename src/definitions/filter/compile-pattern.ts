import type { Received } from '../../domain/definitions/trigger.ts';
import { type Explanation, explainReceived, findDecidingEntry, type TraceEntry } from './explain.ts';
import {
  type CompiledField,
  type CompiledFilter,
  type CompiledLeaf,
  type CompiledPart,
  matchesReceived,
} from './match-payload.ts';
import type { FilterPattern, LeafCondition, PatternField } from './pattern.ts';
import { compileValues } from './values/compile-values.ts';

/** A compiled filter of deliveries. It has no state, so any number of deliveries can share it. */
export interface CompiledPattern {
  /** Does the delivery match? */
  matches(received: Received): boolean;
  /** The first condition that does not match; `null` if the delivery matches. */
  findDecidingEntry(received: Received): TraceEntry | null;
  /** The same result with all conditions; slower, for people. */
  explain(received: Received): Explanation;
}

/** Compiles a parsed filter; done once per apply. */
export function compilePattern(pattern: FilterPattern): CompiledPattern {
  const filter = compileFilter(pattern);
  return {
    matches: (received) => matchesReceived(filter, received),
    findDecidingEntry: (received) => findDecidingEntry(filter, received),
    explain: (received) => explainReceived(filter, received),
  };
}

/** With the parts of a filter that require something. */
export function compileFilter({ headers, payload, event, values }: FilterPattern): CompiledFilter {
  return {
    parts: [...compilePart('headers', headers), ...compilePart('payload', payload)],
    event,
    values: values.map(compileValues),
  };
}

function compilePart(key: CompiledPart['key'], fields: readonly PatternField[]): CompiledPart[] {
  return fields.length === 0 ? [] : [{ key, condition: { kind: 'object', fields: fields.map(compileField) } }];
}

function compileField({ key, condition }: PatternField): CompiledField {
  if (condition.kind === 'leaf') return { key, condition: compileLeaf(condition) };
  return { key, condition: { kind: 'object', fields: condition.fields.map(compileField) } };
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
