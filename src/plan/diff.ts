import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../core/json.ts';
import type { PlanChange } from '../core/plan.ts';

/** The keys and values of a definition as in its file. */
export type Declared = { [key: string]: Json };

/** The keys whose values differ; `from` is `null` for a new key. */
export function diffDeclared(from: Declared, to: Declared): PlanChange[] {
  const keys = new Set([...Object.keys(to), ...Object.keys(from)]);
  return [...keys]
    .map((key) => ({ key, from: from[key] ?? null, to: to[key] ?? null }))
    .filter((change) => !isDeepStrictEqual(change.from, change.to));
}
