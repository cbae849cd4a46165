import type { DeliveryFilter } from '../../domain/definitions/trigger.ts';
import { isJsonObject } from '../../domain/json.ts';
import { parsePattern } from './parse-pattern.ts';
import type { PatternField } from './pattern.ts';

/** Keys of a filter, outermost first, as it nests them. */
export type FilterPath = readonly string[];

/**
 * Which keys that filters ask about were ever in a payload? One that never was is misspelt, usually. Keys that are
 * only asked to be absent are not looked for.
 */
export class KeySightings {
  #unseen: FilterPath[];
  /** Payloads looked at. */
  examined = 0;

  /**
   * @param filters what is wrong with one is reported elsewhere, and nothing in it is looked for. Headers are not either:
   * only the recorded ones are known
   */
  constructor(filters: readonly DeliveryFilter[]) {
    const paths = filters.flatMap(({ payload = {} }) => {
      const parsed = parsePattern(payload);
      return parsed.ok ? listPaths(parsed.pattern.fields, []) : [];
    });
    this.#unseen = [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
  }

  look(payload: unknown): void {
    this.examined++;
    if (this.#unseen.length > 0) this.#unseen = this.#unseen.filter((path) => !holdsKey(payload, path, 0));
  }

  unseen(): readonly FilterPath[] {
    return this.#unseen;
  }
}

/** The keys that no payload of any of these webhooks had. Webhooks without payloads are ignored. */
export function listUnseenKeys(sightings: Iterable<KeySightings>): { examined: number; paths: FilterPath[] } {
  const looked = [...sightings].filter(({ examined }) => examined > 0);
  const unseen = looked.map((one) => new Map(one.unseen().map((path) => [JSON.stringify(path), path])));
  const paths = new Map(unseen.flatMap((paths) => [...paths]));
  return {
    examined: looked.reduce((sum, one) => sum + one.examined, 0),
    paths: [...paths].filter(([text]) => unseen.every((paths) => paths.has(text))).map(([, path]) => path),
  };
}

function listPaths(fields: readonly PatternField[], above: FilterPath): FilterPath[] {
  return fields.flatMap(({ key, condition }) => {
    const path = [...above, key];
    if (condition.kind === 'object') return condition.fields.length === 0 ? [path] : listPaths(condition.fields, path);
    const asksForAbsence = condition.exists === false && condition.in === null && condition.notIn === null;
    return asksForAbsence ? [] : [path];
  });
}

/** Walks as matching does: into objects, and into the objects of an array, but not into arrays inside arrays. */
function holdsKey(value: unknown, path: FilterPath, depth: number): boolean {
  if (Array.isArray(value)) return value.some((element) => isJsonObject(element) && holdsKey(element, path, depth));
  if (!isJsonObject(value) || !Object.hasOwn(value, path[depth]!)) return false;
  return depth === path.length - 1 || holdsKey(value[path[depth]!], path, depth + 1);
}
