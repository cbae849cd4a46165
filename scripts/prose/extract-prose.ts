import ts from 'typescript';

/** Stands for everything that is not prose. No phrase matches across it. */
export const NOT_PROSE = '\u0000';
/** Stands for inline code and addresses inside a sentence. */
export const INLINE_CODE = '\u0001';

/** A name that a file declares, and where. */
interface DeclaredName {
  readonly name: string;
  readonly start: number;
}

export interface Prose {
  /** As long as the file, so that offsets are the same in both: what is not prose is replaced by the marks above. */
  readonly text: string;
  readonly names: readonly DeclaredName[];
}

type Range = readonly [start: number, end: number];

/** Finds the prose in a file, by the ending of its name. Returns undefined if the check cannot read such files. */
export function extractProse(path: string, content: string): Prose | undefined {
  if (/\.(m?tsx?|mjs|js)$/.test(path)) return extractFromCode(path, content);
  if (path.endsWith('.md')) return { text: maskMarkdown(content), names: [] };
  if (path.endsWith('.html'))
    return { text: content.replace(/<[^>]*>/g, (tag) => NOT_PROSE.repeat(tag.length)), names: [] };
  if (/\.ya?ml$/.test(path)) return { text: maskInlineCode(content), names: [] };
  if (path.endsWith('.css')) return { text: keepRanges(content, findComments(content)), names: [] };
  if (path.endsWith('.json')) return { text: keepRanges(content, findDescriptions(content)), names: [] };
  if (/(^|\/)\.ci\/|\.sh$/.test(path)) return { text: maskInlineCode(content), names: [] };
  return undefined;
}

/** Comments, string literals of two words or more, texts of templates and JSX. */
function extractFromCode(path: string, content: string): Prose {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(path, content, ts.ScriptTarget.Latest, false, kind);
  const literals: Range[] = [];
  const prose: Range[] = [];
  const names: DeclaredName[] = [];

  function visit(node: ts.Node): void {
    if (isLiteral(node)) {
      const start = node.kind === ts.SyntaxKind.JsxText ? node.pos : node.getStart(source);
      literals.push([start, node.end]);
      if (isProse(content.slice(start, node.end))) prose.push(insideDelimiters(node, start));
    }
    const name = declaredName(node);
    if (name !== undefined) names.push({ name: name.text, start: name.getStart(source) });
    ts.forEachChild(node, visit);
  }
  visit(source);

  const comments = findComments(fill(content, literals, NOT_PROSE));
  return {
    text: keepRanges(
      content,
      [...prose, ...comments].sort((a, b) => a[0] - b[0]),
    ),
    names,
  };
}

function isLiteral(node: ts.Node): boolean {
  return (
    ts.isStringLiteral(node) ||
    ts.isNoSubstitutionTemplateLiteral(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddle(node) ||
    ts.isTemplateTail(node) ||
    ts.isRegularExpressionLiteral(node) ||
    node.kind === ts.SyntaxKind.JsxText
  );
}

/** One word alone is a code, a key or a name. */
function isProse(text: string): boolean {
  const isRegularExpression = text.startsWith('/');
  const isSql = /^[`'"]\s*(?:ALTER|CREATE|DELETE|DROP|INSERT|SELECT|UPDATE|WITH) /.test(text);
  return !isRegularExpression && !isSql && /\p{L}\S*\s+\S*\p{L}/u.test(text);
}

function insideDelimiters(node: ts.Node, start: number): Range {
  if (node.kind === ts.SyntaxKind.JsxText) return [start, node.end];
  const closing = ts.isTemplateHead(node) || ts.isTemplateMiddle(node) ? 2 : 1;
  return [start + 1, node.end - closing];
}

function declaredName(node: ts.Node): ts.Identifier | undefined {
  const declares =
    ts.isVariableDeclaration(node) ||
    ts.isBindingElement(node) ||
    ts.isParameter(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isTypeParameterDeclaration(node) ||
    ts.isPropertySignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isPropertyAssignment(node) ||
    ts.isMethodSignature(node) ||
    ts.isMethodDeclaration(node);
  return declares && node.name !== undefined && ts.isIdentifier(node.name) ? node.name : undefined;
}

/** The comments of TypeScript or CSS whose literals are masked, without fenced drawings. Successive line comments are one range. */
function findComments(code: string): Range[] {
  const ranges: Range[] = [];
  for (const { 0: comment, index } of code.matchAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/g)) {
    let start = index;
    for (const { 0: fenced, index: at } of comment.matchAll(/```[\s\S]*?```/g)) {
      ranges.push([start, index + at]);
      start = index + at + fenced.length;
    }
    ranges.push([start, index + comment.length]);
  }
  return ranges;
}

/** The values of the keys of a JSON file that hold sentences. */
function findDescriptions(json: string): Range[] {
  const ranges: Range[] = [];
  for (const match of json.matchAll(/"(?:description|title|summary|markdownDescription)":\s*"((?:[^"\\\n]|\\.)*)"/dg)) {
    const range = match.indices?.[1];
    if (range !== undefined) ranges.push(range);
  }
  return ranges;
}

/** `text` with only those ranges readable. Ranges are in order and do not overlap. */
function keepRanges(text: string, ranges: readonly Range[]): string {
  const parts: string[] = [];
  let end = 0;
  for (const [start, next] of ranges) {
    parts.push(NOT_PROSE.repeat(start - end), maskInlineCode(blankCommentMarks(text.slice(start, next))));
    end = next;
  }
  parts.push(NOT_PROSE.repeat(text.length - end));
  return parts.join('');
}

/** Blanks the marks at the beginning of a line and escaped line breaks, so that a phrase can continue on the next line. */
function blankCommentMarks(text: string): string {
  return text.replace(/^[ \t]*(?:\/\*\*?|\/\/|\*\/|\*)|\\n/gm, (mark) => ' '.repeat(mark.length));
}

function maskMarkdown(text: string): string {
  const withoutBlocks = text
    .replace(/^([ \t]*)(```+|~~~+)[\s\S]*?^\1\2[ \t]*$/gm, (block) => NOT_PROSE.repeat(block.length))
    .replace(/\]\([^)\s]*\)/g, (target) => `]${INLINE_CODE.repeat(target.length - 1)}`);
  return maskInlineCode(withoutBlocks);
}

function maskInlineCode(text: string): string {
  return text.replace(/(`+)(?!`)[\s\S]{1,400}?(?<!`)\1(?!`)|https?:\/\/[^\s)"'<>]+/g, (code) =>
    code.includes('\n\n') ? code : INLINE_CODE.repeat(code.length),
  );
}

function fill(text: string, ranges: readonly Range[], mark: string): string {
  const parts: string[] = [];
  let end = 0;
  for (const [start, next] of [...ranges].sort((a, b) => a[0] - b[0])) {
    parts.push(text.slice(end, start), mark.repeat(next - start));
    end = next;
  }
  parts.push(text.slice(end));
  return parts.join('');
}
