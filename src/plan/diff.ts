import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../core/json.ts';
import type { PlanChange } from '../core/plan.ts';

/** What a definition says, key by key, in the words of its file. */
export type Declared = { [key: string]: Json };

/** The keys whose values differ; `from` is `null` for a key that was not there. */
export function diffDeclared(from: Declared, to: Declared): PlanChange[] {
  const keys = new Set([...Object.keys(to), ...Object.keys(from)]);
  return [...keys]
    .map((key) => ({ key, from: from[key] ?? null, to: to[key] ?? null }))
    .filter((change) => !isDeepStrictEqual(change.from, change.to));
}
