/** The cursor position in a JSON text, which may be incomplete. */
export interface JsonCursor {
  /** Keys of the surrounding objects, outermost first. Lists add nothing. */
  path: string[];
  /** What is expected here: a key, the value of a key, or an element of a list. */
  slot: 'key' | 'value' | 'element';
  /** Start of the word at the cursor, and the word without quotes. */
  from: number;
  word: string;
  /** Earlier keys or elements of the same object or list, as text. */
  taken: string[];
}

interface Level {
  kind: 'object' | 'list';
  /** The key of the current value; `null` while a key is expected. */
  key: string | null;
  taken: string[];
}

interface Scan {
  levels: Level[];
  path: string[];
}

/** `null` if nothing can be completed: outside the root object, or after a complete word. */
export function readCursor(text: string, position: number): JsonCursor | null {
  const scan: Scan = { levels: [], path: [] };
  let at = 0;
  while (at < position) {
    const end = endOfWord(text, at, position);
    if (end === at) {
      readSign(scan, text[at]!);
      at += 1;
    } else {
      const isUnfinished = end === position && !isClosedString(text, at, end);
      if (isUnfinished) return describeSlot(scan, at, text.slice(at, end).replace(/^"/, ''));
      readWord(scan, text.slice(at, end));
      at = end;
    }
  }
  return describeSlot(scan, position, '');
}

function describeSlot({ levels, path }: Scan, from: number, word: string): JsonCursor | null {
  const level = levels.at(-1);
  if (level === undefined) return null;
  if (level.kind === 'list') return { path, slot: 'element', from, word, taken: level.taken };
  if (level.key === null) return { path, slot: 'key', from, word, taken: level.taken };
  return { path: [...path, level.key], slot: 'value', from, word, taken: [] };
}

/** The end of the string or bare word at `start`; `start` itself if there is none. */
function endOfWord(text: string, start: number, limit: number): number {
  let end = start;
  if (text[start] !== '"') {
    while (end < limit && !/[\s{}[\]:,"]/.test(text[end]!)) end += 1;
    return end;
  }
  end += 1;
  while (end < limit && text[end] !== '"' && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1;
  return Math.min(text[end] === '"' ? end + 1 : end, limit);
}

function isClosedString(text: string, start: number, end: number): boolean {
  return (
    text[start] === '"' &&
    end - start >= 2 &&
    text[end - 1] === '"' &&
    !/(?<!\\)(?:\\\\)*\\"$/.test(text.slice(start, end))
  );
}

function readSign({ levels, path }: Scan, sign: string): void {
  const level = levels.at(-1);
  if (sign === '{' || sign === '[') {
    if (level?.kind === 'object' && level.key !== null) path.push(level.key);
    levels.push({ kind: sign === '{' ? 'object' : 'list', key: null, taken: [] });
  } else if (sign === '}' || sign === ']') {
    levels.pop();
    const outer = levels.at(-1);
    if (outer?.kind === 'object' && outer.key !== null) path.pop();
  } else if (sign === ',' && level !== undefined) {
    level.key = null;
  }
}

function readWord({ levels }: Scan, word: string): void {
  const level = levels.at(-1);
  if (level === undefined) return;
  const value = readValue(word);
  level.taken.push(value);
  if (level.kind === 'object' && level.key === null) level.key = value;
}

function readValue(word: string): string {
  if (!word.startsWith('"')) return word;
  try {
    return String(JSON.parse(word));
  } catch {
    return word.slice(1, -1);
  }
}
