/** Where in a JSON text the cursor stands. Works on texts that are not finished. */
export interface JsonCursor {
  /** Keys of the objects that the cursor is in, outermost first; lists add nothing. */
  path: string[];
  /** What is written here: the name of a key, the value under a key, or an element of a list. */
  slot: 'key' | 'value' | 'element';
  /** Where the word begins that the cursor is in or behind, and the word without its quotes. */
  from: number;
  word: string;
  /** Keys and elements that stand earlier in the same object or list, as text. */
  taken: string[];
}

interface Level {
  kind: 'object' | 'list';
  /** The key whose value is written; `null` while a key is expected. */
  key: string | null;
  taken: string[];
}

interface Scan {
  levels: Level[];
  path: string[];
}

/** `null` where nothing can be written: outside of the outermost object, or behind a finished word. */
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

/** Behind the string or bare word that begins here; where none begins, the place itself. */
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
