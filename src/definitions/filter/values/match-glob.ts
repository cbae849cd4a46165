/** One character of a path, or a repetition of characters. */
type Part =
  | { kind: 'char'; char: string }
  /** `?`: any character but `/`. */
  | { kind: 'any' }
  /** `[a-z]` and `[!a-z]`: never `/`. */
  | { kind: 'class'; isNegated: boolean; ranges: readonly (readonly [from: string, to: string])[] }
  /** `*`: any number of characters but `/`. */
  | { kind: 'star' }
  /** `**`: any number of characters. */
  | { kind: 'globstar' }
  /** A segment `**` with the slash behind it: no segment, or any number of them. */
  | { kind: 'segments' };

/**
 * Compiles a glob of paths: `*` and `?` stay inside one segment, `**` crosses segments, `[…]` is a class, and a backslash makes
 * the next character literal. Names that begin with a dot need no special form. Case-sensitive.
 *
 * A match takes at most the length of the path times that of the glob: all positions are followed together.
 */
export function compileGlob(glob: string): (path: string) => boolean {
  const parts = parseGlob(glob);
  const prefix = readPrefix(parts);
  return (path) => path.startsWith(prefix) && matches(parts, path);
}

/** The characters that each match begins with. */
function readPrefix(parts: readonly Part[]): string {
  let prefix = '';
  for (const part of parts) {
    if (part.kind !== 'char') break;
    prefix += part.char;
  }
  return prefix;
}

function parseGlob(glob: string): Part[] {
  const chars = Array.from(glob);
  const parts: Part[] = [];
  for (let at = 0; at < chars.length; ) {
    const { part, length } = readPart(chars, at);
    const isRepeated = part.kind === 'star' && parts.at(-1)?.kind === 'star';
    if (!isRepeated) parts.push(part);
    at += length;
  }
  return parts;
}

function readPart(chars: readonly string[], at: number): { part: Part; length: number } {
  const char = chars[at]!;
  if (char === '*') return readStars(chars, at);
  if (char === '?') return { part: { kind: 'any' }, length: 1 };
  if (char === '\\' && at + 1 < chars.length) return { part: { kind: 'char', char: chars[at + 1]! }, length: 2 };
  const found = char === '[' ? readClass(chars, at) : null;
  return found ?? { part: { kind: 'char', char }, length: 1 };
}

function readStars(chars: readonly string[], at: number): { part: Part; length: number } {
  let end = at;
  while (chars[end] === '*') end += 1;
  const length = end - at;
  if (length === 1) return { part: { kind: 'star' }, length };
  const isSegment = (at === 0 || chars[at - 1] === '/') && chars[end] === '/';
  return isSegment ? { part: { kind: 'segments' }, length: length + 1 } : { part: { kind: 'globstar' }, length };
}

/** `null` if the bracket is not closed: then it is a character. */
function readClass(chars: readonly string[], at: number): { part: Part; length: number } | null {
  const isNegated = chars[at + 1] === '!' || chars[at + 1] === '^';
  const start = at + (isNegated ? 2 : 1);
  // A bracket that comes first is one of the characters.
  const end = chars.indexOf(']', start + 1);
  if (end === -1) return null;
  const ranges: [string, string][] = [];
  for (let index = start; index < end; ) {
    const isRange = chars[index + 1] === '-' && index + 2 < end;
    ranges.push([chars[index]!, chars[isRange ? index + 2 : index]!]);
    index += isRange ? 3 : 1;
  }
  return { part: { kind: 'class', isNegated, ranges }, length: end + 1 - at };
}

/** Follows the parts that the characters so far lead to. */
function matches(parts: readonly Part[], path: string): boolean {
  let reached = new Uint8Array(parts.length + 1);
  let next = new Uint8Array(parts.length + 1);
  reached[0] = 1;
  skipRepetitions(parts, reached, true);
  for (const char of path) {
    next.fill(0);
    let isAlive = false;
    for (let at = 0; at < parts.length; at += 1) {
      if (reached[at] === 0) continue;
      const step = stepOver(parts[at]!, char);
      if (step === 'no') continue;
      next[step === 'stay' ? at : at + 1] = 1;
      isAlive = true;
    }
    if (!isAlive) return false;
    [reached, next] = [next, reached];
    skipRepetitions(parts, reached, char === '/');
  }
  return reached[parts.length] === 1;
}

function stepOver(part: Part, char: string): 'no' | 'next' | 'stay' {
  switch (part.kind) {
    case 'char':
      return part.char === char ? 'next' : 'no';
    case 'any':
      return char === '/' ? 'no' : 'next';
    case 'class':
      return char !== '/' && isInClass(part, char) ? 'next' : 'no';
    case 'star':
      return char === '/' ? 'no' : 'stay';
    case 'globstar':
    case 'segments':
      return 'stay';
  }
}

function isInClass({ isNegated, ranges }: Extract<Part, { kind: 'class' }>, char: string): boolean {
  return ranges.some(([from, to]) => from <= char && char <= to) !== isNegated;
}

/** Repetitions may be empty. That of segments ends only where a segment begins. */
function skipRepetitions(parts: readonly Part[], reached: Uint8Array, isSegmentStart: boolean): void {
  for (const [at, { kind }] of parts.entries()) {
    if (reached[at] === 0) continue;
    if (kind === 'star' || kind === 'globstar' || (kind === 'segments' && isSegmentStart)) reached[at + 1] = 1;
  }
}
