import type { CST, Document, ParsedNode } from 'yaml';
import { Composer, Lexer, LineCounter, Parser } from 'yaml';
import type { Position } from '../../domain/definitions/diagnostic.ts';
import type { Json } from '../../domain/json.ts';
import { describeChangedNumber, inspectNodes, type YamlProblem } from './inspect-nodes.ts';
import type { KeyPath } from './key-path.ts';
import { findPath, type Located, locate } from './locate.ts';
import { type PlainYaml, parsePlainYaml } from './parse-plain-yaml.ts';
import { createPositions, FILE_START } from './positions.ts';
import { type FindPlace, listSyntaxProblems, type Place, type SourceText } from './syntax-problems.ts';

/** A parsed YAML or JSON text with the positions of its values. */
export interface YamlText {
  value: Json;
  /** Position of the value at `path`, and of its key. If the path does not exist, of the innermost existing value. */
  locate(path: KeyPath): Located;
}

/**
 * Each finding is described when it is called for, because a hostile text has 100,000 of them. `doubts`: values that are
 * probably not what their text means.
 */
type ParsedYaml =
  | { ok: true; yaml: YamlText; doubts: (() => YamlProblem)[] }
  | { ok: false; problems: (() => YamlProblem)[] };

// Deeper than any definition (a filter may have 10 levels below 4 of the trigger), and far from a stack overflow.
const MAX_NESTING = 64;
const MAX_ALIAS_EXPANSIONS = 100;

const OPTIONS = {
  schema: 'core',
  merge: true,
  // Keys of definitions and payloads are strings: `1:` means the key "1".
  stringKeys: true,
  // The library compares each key with all keys before it. `inspectNodes` does this in linear time.
  uniqueKeys: false,
  resolveKnownTags: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

/**
 * Parses one YAML 1.2 document of the core schema, or returns all its problems. Never throws, prints nothing, and is linear
 * in the length of the text, for any text (threat model G4).
 *
 * @param linesBefore number of lines of the file before `text`, for positions
 */
export function parseYaml(text: string, linesBefore = 0): ParsedYaml {
  const plain = parsePlainYaml(text);
  if (plain === null) return parseAnyYaml(text, linesBefore);
  // Numbers in plain YAML have the text of their values.
  return { ok: true, yaml: toYamlText(plain, text, linesBefore), doubts: [] };
}

function toYamlText({ value, locate }: PlainYaml, text: string, linesBefore: number): YamlText {
  let toPosition: ((offset: number) => Position) | null = null;
  return {
    value,
    locate: (path) => {
      toPosition ??= createPositions(text, linesBefore);
      const { key, value } = locate(path);
      return { key: toPosition(key), value: toPosition(value) };
    },
  };
}

/** As `parseYaml`, with the YAML library. */
export function parseAnyYaml(text: string, linesBefore = 0): ParsedYaml {
  return withoutStackTraces(() => {
    const lineCounter = new LineCounter();
    const toPosition = (offset: number) => toFilePosition(lineCounter, offset, linesBefore);
    const { tokens, deepAt } = readTokens(text, lineCounter);
    if (deepAt !== null) return { ok: false, problems: [() => describeTooDeep(toPosition(deepAt))] };
    const documents = composeAtMostTwo(tokens, text.length);
    return readDocument(documents, toPosition, { text, lineCounter });
  });
}

function readDocument(
  documents: ParsedDocument[],
  toPosition: (offset: number) => Position,
  source: SourceText,
): ParsedYaml {
  const [document, second] = documents;
  if (document === undefined)
    return { ok: true, yaml: { value: null, locate: () => ({ key: FILE_START, value: FILE_START }) }, doubts: [] };
  const place = (offset: number): Place => ({ at: toPosition(offset), path: findPath(document, offset) });
  const found = [
    ...describeErrors(document, source, place),
    ...(second === undefined ? [] : [() => describeSecondDocument(toPosition(second.range[0]))]),
  ];
  if (found.length > 0) return { ok: false, problems: found };
  const { problems, changedNumbers } = inspectNodes(document.contents, MAX_ALIAS_EXPANSIONS);
  if (problems.length > 0) {
    return {
      ok: false,
      problems: problems.map(({ offset, ...rest }) => () => ({ ...rest, ...place(offset) })),
    };
  }
  const doubts = changedNumbers.map((node) => () => ({ ...describeChangedNumber(node), ...place(node.range![0]) }));
  return readValue(document, toPosition, doubts);
}

function readValue(
  document: ParsedDocument,
  toPosition: (offset: number) => Position,
  doubts: (() => YamlProblem)[],
): ParsedYaml {
  try {
    // The library counts the anchored value itself as the first of its uses.
    const value = document.toJS({ maxAliasCount: MAX_ALIAS_EXPANSIONS + 1 }) as Json;
    return { ok: true, yaml: { value, locate: (path) => locate(document, path, toPosition) }, doubts };
  } catch (error) {
    return { ok: false, problems: [() => describeExpansion(error, toPosition(document.range[0]))] };
  }
}

type ParsedDocument = Document.Parsed<ParsedNode>;

/** The second document is only needed for the error message. A hostile text may have 60,000 documents. */
function composeAtMostTwo(tokens: CST.Token[], end: number): ParsedDocument[] {
  const documents: ParsedDocument[] = [];
  for (const document of new Composer(OPTIONS).compose(tokens, true, end)) {
    documents.push(document as ParsedDocument);
    if (documents.length === 2) break;
  }
  return documents;
}

/** The library creates one `Error` for each mistake: with stack traces, 200,000 mistakes take seconds. */
function withoutStackTraces<T>(work: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Like `Parser.parse`, but stops at the first value that is nested too deeply. */
function readTokens(text: string, lineCounter: LineCounter): { tokens: CST.Token[]; deepAt: number | null } {
  const parser = new Parser(lineCounter.addNewLine);
  const tokens: CST.Token[] = [];
  lineCounter.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    // The stack contains the document, the open collections and possibly a scalar.
    if (parser.stack.length > MAX_NESTING + 2) return { tokens: [], deepAt: parser.stack[MAX_NESTING + 1]!.offset };
  }
  for (const token of parser.end()) tokens.push(token);
  return { tokens, deepAt: findTooDeep(tokens) };
}

/** Offset of the first token that is nested too deeply. Not recursive, because the tokens may be too deep for the stack. */
function findTooDeep(tokens: CST.Token[]): number | null {
  const open: { token: CST.Token; depth: number }[] = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next;
    if (depth > MAX_NESTING) return token.offset;
    if (token.type === 'document' && token.value) open.push({ token: token.value, depth: depth + 1 });
    if (!('items' in token)) continue;
    for (const item of token.items) {
      if (item.key) open.push({ token: item.key, depth: depth + 1 });
      if (item.value) open.push({ token: item.value, depth: depth + 1 });
    }
  }
  return null;
}

function toFilePosition(lineCounter: LineCounter, offset: number, linesBefore: number): Position {
  const { line, col } = lineCounter.linePos(offset);
  // A text of a single line without line break has no line starts at all.
  return line === 0 ? { line: 1 + linesBefore, column: offset + 1 } : { line: line + linesBefore, column: col };
}

function describeErrors(document: ParsedDocument, source: SourceText, place: FindPlace): (() => YamlProblem)[] {
  const reported = document.warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED' || code === 'BAD_DIRECTIVE');
  const problems = listSyntaxProblems([...document.errors, ...reported], source, place);
  const { explicit, version } = document.directives.yaml;
  if (explicit && version !== '1.2') problems.push(() => describeVersion(version));
  return problems;
}

function describeVersion(version: string): YamlProblem {
  const message = `The text declares YAML ${version}. Only YAML 1.2 is supported.`;
  return { rule: 'yaml/version', at: FILE_START, path: [], message, hint: 'Remove the %YAML line.' };
}

function describeSecondDocument(at: Position): YamlProblem {
  const message = 'A second YAML document starts here. A file must contain exactly one document.';
  return { rule: 'yaml/multiple-documents', at, path: [], message, hint: 'Put each document in a separate file.' };
}

function describeTooDeep(at: Position): YamlProblem {
  const message = `Values are nested more than ${MAX_NESTING} levels deep.`;
  return { rule: 'yaml/too-deep', at, path: [], message, hint: 'Use fewer levels.' };
}

function describeExpansion(error: unknown, at: Position): YamlProblem {
  const text = error instanceof Error ? error.message : String(error);
  if (text.startsWith('Merge sources')) {
    const message = 'A merge key (<<) must refer to a map or a list of maps.';
    return {
      rule: 'yaml/bad-merge',
      at,
      path: [],
      message,
      hint: 'Refer to a map with an anchor, for example "<<: *base".',
    };
  }
  const message = `Aliases expand more than ${MAX_ALIAS_EXPANSIONS} times.`;
  return {
    rule: 'yaml/alias-limit',
    at,
    path: [],
    message,
    hint: 'Write the values in full instead of using aliases.',
  };
}
