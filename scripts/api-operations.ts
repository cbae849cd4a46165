import { createHash } from 'node:crypto';
import type { ApiDocument } from '../src/api/openapi/add-examples.ts';

const HEAD = `# The operations of the management API. The digest of an operation changes with its parameters, its bodies and its answers, and
# with the components that they use, but not with texts for readers. Generated: npm run generate
`;

/** A line for each operation: method, path, operation ID, and the digest of its schemas. */
export function renderOperations(document: ApiDocument): string {
  const rows = inOrder(document.paths).flatMap(([path, operations]) =>
    inOrder(operations).map(([method, operation]) => {
      const contract = describeContract(operation, { document, inside: [] });
      const digest = createHash('sha256').update(JSON.stringify(contract)).digest('hex').slice(0, 12);
      return `${method.toUpperCase()} ${path} ${operation.operationId} ${digest}\n`;
    }),
  );
  return HEAD + rows.join('');
}

/** Keywords without effect on what a client may send and what it gets. */
const FOR_READERS = new Set(['description', 'summary', 'title', 'tags', 'example', 'examples']);

interface Place {
  document: object;
  /** The components that this one is part of: one that contains itself is named by its reference there. */
  inside: readonly string[];
}

/** What clients depend on, with components instead of references to them, and keys in the order of their names. */
function describeContract(node: unknown, place: Place, isKeyword = true): unknown {
  if (Array.isArray(node)) return node.map((item) => describeContract(item, place));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref } = node as { $ref?: string };
  if (typeof $ref === 'string' && isKeyword) return describeComponent($ref, place);
  const entries = inOrder(node as Record<string, unknown>).filter(([key]) => !isKeyword || !FOR_READERS.has(key));
  return entries.map(([key, value]) => [key, describeContract(value, place, key !== 'properties')]);
}

function describeComponent(ref: string, { document, inside }: Place): unknown {
  if (inside.includes(ref)) return ref;
  const path = ref.split('/').slice(1);
  const component = path.reduce<object>((node, key) => (node as Record<string, object>)[key]!, document);
  return describeContract(component, { document, inside: [...inside, ref] });
}

/** The entries in the order of their keys, which does not depend on the order of routes. */
function inOrder<V>(record: Record<string, V>): [key: string, value: V][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
