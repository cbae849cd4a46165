/** One step of a path: a key, an index of an array, or `*` in brackets for every element of one. */
export type PathStep = string | number | typeof EVERY_ELEMENT;

/** The step `[*]`. */
export const EVERY_ELEMENT = Symbol('[*]');

const PLAIN = /^\.?([^.[\]"\s]+)/;
const INDEX = /^\[(0|[1-9][0-9]{0,8}|\*)\]/;
const QUOTED = /^\[("(?:[^"\\]|\\.)*")\]/;

/**
 * Reads a path as `formatPath` prints it, for example `items[0].name` or `data["a key"]`, with `[*]` for every
 * element of an array. `null` for any other text, and for the root.
 */
export function parsePath(text: string): PathStep[] | null {
  const steps: PathStep[] = [];
  for (let rest = text; rest !== ''; ) {
    const found = readStep(rest, steps.length === 0);
    if (found === null) return null;
    steps.push(found.step);
    rest = rest.slice(found.length);
  }
  return steps.length === 0 ? null : steps;
}

function readStep(rest: string, isFirst: boolean): { step: PathStep; length: number } | null {
  const index = INDEX.exec(rest);
  if (index !== null) return { step: index[1] === '*' ? EVERY_ELEMENT : Number(index[1]), length: index[0].length };
  const quoted = QUOTED.exec(rest);
  if (quoted !== null) return readQuoted(quoted[0], quoted[1]!);
  const plain = PLAIN.exec(rest);
  if (plain === null || isFirst === plain[0].startsWith('.')) return null;
  return { step: plain[1]!, length: plain[0].length };
}

function readQuoted(whole: string, text: string): { step: string; length: number } | null {
  try {
    return { step: JSON.parse(text) as string, length: whole.length };
  } catch {
    return null;
  }
}
