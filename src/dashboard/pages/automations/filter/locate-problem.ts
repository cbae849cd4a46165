import { jsonLanguage } from '@codemirror/lang-json';

type SyntaxNode = ReturnType<typeof jsonLanguage.parser.parse>['topNode'];

/** A range of the text, by offsets. */
export interface TextRange {
  from: number;
  to: number;
}

/** The range of the key or element of a JSON pointer, or of its nearest existing parent. */
export function locateProblem(text: string, pointer: string): TextRange {
  const steps = pointer.split('/').slice(1).map(readStep);
  let node = jsonLanguage.parser.parse(text).topNode.firstChild;
  let range: TextRange = node ?? { from: 0, to: text.length };
  for (const step of steps) {
    const next = node === null ? null : stepInto(text, node, step);
    if (next === null) break;
    node = next.value;
    range = next.range;
  }
  return { from: range.from, to: range.to };
}

/** Duplicate keys of objects. Only the last one is used. */
export function findRepeatedKeys(text: string): (TextRange & { key: string })[] {
  const found: (TextRange & { key: string })[] = [];
  jsonLanguage.parser.parse(text).iterate({
    enter: ({ name, node }) => {
      if (name !== 'Object') return;
      const seen = new Set<string>();
      for (const property of node.getChildren('Property')) {
        const key = readKey(text, property);
        if (seen.has(key)) found.push({ from: property.from, to: property.to, key });
        seen.add(key);
      }
    },
  });
  return found;
}

function readStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

interface Step {
  range: TextRange;
  value: SyntaxNode | null;
}

function stepInto(text: string, node: SyntaxNode, step: string): Step | null {
  if (node.name === 'Object') {
    // The last of duplicate keys is used.
    const property = node.getChildren('Property').findLast((one) => readKey(text, one) === step);
    const name = property?.getChild('PropertyName') ?? null;
    return property === undefined || name === null ? null : { range: name, value: property.lastChild };
  }
  if (node.name !== 'Array') return null;
  const element = listElements(node)[Number(step)];
  return element === undefined ? null : { range: element, value: element };
}

function listElements(list: SyntaxNode): SyntaxNode[] {
  const elements: SyntaxNode[] = [];
  for (let child = list.firstChild; child !== null; child = child.nextSibling) {
    if (/^[A-Z]/.test(child.name)) elements.push(child);
  }
  return elements;
}

function readKey(text: string, property: SyntaxNode): string {
  const name = property.getChild('PropertyName');
  if (name === null) return '';
  try {
    return String(JSON.parse(text.slice(name.from, name.to)));
  } catch {
    return text.slice(name.from, name.to);
  }
}
