import { jsonLanguage } from '@codemirror/lang-json';

type SyntaxNode = ReturnType<typeof jsonLanguage.parser.parse>['topNode'];

/** A piece of the text, by offsets. */
export interface TextRange {
  from: number;
  to: number;
}

/** The key or the element that a JSON pointer names; where there is none, the nearest that is there. */
export function locateProblem(text: string, pointer: string): TextRange {
  const steps = pointer.split('/').slice(1).map(readStep);
  let node = jsonLanguage.parser.parse(text).topNode.firstChild;
  let place: TextRange = node ?? { from: 0, to: text.length };
  for (const step of steps) {
    const next = node === null ? null : stepInto(text, node, step);
    if (next === null) break;
    node = next.value;
    place = next.place;
  }
  return { from: place.from, to: place.to };
}

/** Keys that an object names twice: only the last counts. */
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
  place: TextRange;
  value: SyntaxNode | null;
}

function stepInto(text: string, node: SyntaxNode, step: string): Step | null {
  if (node.name === 'Object') {
    // Of a key that stands twice the last counts.
    const property = node.getChildren('Property').findLast((one) => readKey(text, one) === step);
    const name = property?.getChild('PropertyName') ?? null;
    return property === undefined || name === null ? null : { place: name, value: property.lastChild };
  }
  if (node.name !== 'Array') return null;
  const element = listElements(node)[Number(step)];
  return element === undefined ? null : { place: element, value: element };
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
