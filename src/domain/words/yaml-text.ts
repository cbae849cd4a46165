import { stringify } from 'yaml';

/** A JSON value as the YAML of a definition: one line for each value, strings quoted only if necessary. */
export function writeYaml(value: object): string {
  return stringify(value, { schema: 'core', lineWidth: 0, flowCollectionPadding: false });
}

/** The text of an `automation.md`: keys as front matter, then the prompt. Keys with the value `undefined` are omitted. */
export function writeFrontMatterFile(keys: Readonly<Record<string, unknown>>, prompt: string): string {
  const given = Object.entries(keys).filter(([, value]) => value !== undefined);
  return `---\n${writeYaml(Object.fromEntries(given))}---\n${prompt}`;
}

/** One line of a diff. `gap` replaces unchanged lines that are omitted. */
export interface DiffLine {
  kind: 'added' | 'removed' | 'same' | 'gap';
  text: string;
}

/** Larger texts are shown as removed and added, so that the comparison stays fast. */
const MAX_COMPARED = 1_000_000;

/**
 * The difference of two values of one key, as lines of YAML. Unchanged lines are omitted, except the neighbors of a
 * changed line and the keys that contain it. `null` is a key that the definition does not have.
 */
export function diffValues({ key, from, to }: { key: string; from?: unknown; to?: unknown }): DiffLine[] {
  return keepContext(diffLines(toLines(key, from), toLines(key, to)));
}

/** Keys that no file has, as people call them. The webhooks of the triggers follow from other files. */
const SHOWN_KEYS: { readonly [key: string]: string } = { listensTo: 'webhooks of triggers' };

function toLines(key: string, value: unknown): string[] {
  if (value === null || value === undefined) return [];
  return writeYaml({ [SHOWN_KEYS[key] ?? key]: value })
    .replace(/\n$/, '')
    .split('\n');
}

function diffLines(from: readonly string[], to: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start++;
  let end = 0;
  while (end < from.length - start && end < to.length - start && from.at(-1 - end) === to.at(-1 - end)) end++;
  const [removed, added] = [from.slice(start, from.length - end), to.slice(start, to.length - end)];
  return [
    ...toDiff('same', from.slice(0, start)),
    ...compareLines(removed, added),
    ...toDiff('same', from.slice(from.length - end)),
  ];
}

function toDiff(kind: DiffLine['kind'], lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ kind, text }));
}

/** The shortest difference, by the longest common sequence of lines. */
function compareLines(from: readonly string[], to: readonly string[]): DiffLine[] {
  if (from.length * to.length > MAX_COMPARED) return [...toDiff('removed', from), ...toDiff('added', to)];
  const width = to.length + 1;
  const common = new Uint16Array((from.length + 1) * width);
  for (let i = from.length - 1; i >= 0; i--) {
    for (let k = to.length - 1; k >= 0; k--) {
      const next = common[(i + 1) * width + k + 1]!;
      const skipped = Math.max(common[(i + 1) * width + k]!, common[i * width + k + 1]!);
      common[i * width + k] = from[i] === to[k] ? next + 1 : skipped;
    }
  }
  return walkCommon(from, to, common);
}

function walkCommon(from: readonly string[], to: readonly string[], common: Uint16Array): DiffLine[] {
  const width = to.length + 1;
  const lines: DiffLine[] = [];
  let [i, k] = [0, 0];
  while (i < from.length || k < to.length) {
    if (i < from.length && k < to.length && from[i] === to[k]) {
      lines.push({ kind: 'same', text: from[i]! });
      i++;
      k++;
    } else if (k === to.length || (i < from.length && common[(i + 1) * width + k]! >= common[i * width + k + 1]!)) {
      lines.push({ kind: 'removed', text: from[i++]! });
    } else {
      lines.push({ kind: 'added', text: to[k++]! });
    }
  }
  return lines;
}

function keepContext(lines: readonly DiffLine[]): DiffLine[] {
  const kept = listKept(lines);
  const last = kept.at(-1) ?? 0;
  const isKept = new Set(kept);
  return lines.flatMap((line, i) => {
    if (isKept.has(i)) return [line];
    return isKept.has(i - 1) && i < last ? [{ kind: 'gap', text: '…' } as const] : [];
  });
}

/** The numbers of the changed lines, of their neighbors, and of the lines of the keys that contain them; in order. */
function listKept(lines: readonly DiffLine[]): number[] {
  const kept = new Set<number>();
  /** The unchanged lines that contain the current one, outermost first. */
  const parents: { indent: number; line: number }[] = [];
  for (const [line, { kind, text }] of lines.entries()) {
    const indent = text.trim() === '' ? Number.POSITIVE_INFINITY : text.length - text.trimStart().length;
    while (parents.length > 0 && parents.at(-1)!.indent >= indent) parents.pop();
    if (kind === 'same') {
      if (Number.isFinite(indent)) parents.push({ indent, line });
      continue;
    }
    for (const parent of parents) kept.add(parent.line);
    for (const near of [line - 1, line, line + 1]) if (near >= 0 && near < lines.length) kept.add(near);
  }
  return [...kept].sort((a, b) => a - b);
}
