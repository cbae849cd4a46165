import { beforeAll, describe, expect, it } from 'vitest';
import { buildApiDocument } from '../../scripts/api-document.ts';
import { renderOperations } from '../../scripts/api-operations.ts';
import type { ApiDocument } from '../../src/api/openapi/add-examples.ts';
import type { JsonSchema } from '../../src/domain/json.ts';
import { EXECUTION_OVERRIDES } from '../../src/domain/resources/automation.ts';
import { DELIVERY_LABELS } from '../../src/domain/resources/delivery.ts';
import { createSeededServer, createSeededServices } from '../helpers/seeded-services.ts';

let document: object;

beforeAll(async () => {
  document = await buildApiDocument();
});

it('the OpenAPI document of the package is that of a daemon', async () => {
  const app = createSeededServer(createSeededServices());
  await app.ready();
  expect(document).toEqual(app.swagger());
  await app.close();
});

/** Names that are values, and keys of definition files that runs get unchanged. */
const NOT_OURS = new Set<string>([...DELIVERY_LABELS, ...EXECUTION_OVERRIDES]);

/** The names of all properties in the schemas of a document but deprecated ones, each with its place. */
function* listProperties(node: unknown, path = ''): Generator<[name: string, path: string]> {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === 'properties' && !Array.isArray(value)) {
      for (const [name, { deprecated }] of Object.entries<JsonSchema>(value)) if (!deprecated) yield [name, path];
    }
    if (!key.startsWith('example')) yield* listProperties(value, `${path}/${key}`);
  }
}

it('the OpenAPI document has names in snake_case only', () => {
  const names = [...listProperties(document)].filter(([name]) => !NOT_OURS.has(name));
  expect(names.length).toBeGreaterThan(1000);
  expect(names.filter(([name]) => !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name))).toEqual([]);
});

describe('the line of an operation in schemas/operations.txt', () => {
  /** The operations whose lines differ if the text of the document is changed. */
  const listChanged = (change: (text: string) => string) => {
    const lines = renderOperations(document as ApiDocument).split('\n');
    const changed = renderOperations(JSON.parse(change(JSON.stringify(document)))).split('\n');
    return changed.filter((line) => !lines.includes(line)).map((line) => line.split(' ')[2]);
  };

  it('changes with a component that the operation uses, also through others', () => {
    // A field of `RunInput`, which is a part of `ClaimedRun`.
    expect(listChanged((text) => text.replace('"stands_for":{', '"means":{'))).toEqual(['claimRuns', 'getRunInput']);
    expect(
      listChanged((text) =>
        text.replace('"Retry-After":{"description"', '"Retry-After":{"deprecated":true,"description"'),
      ),
    ).toHaveLength(Object.values((document as ApiDocument).paths).flatMap(Object.keys).length);
  });

  it('does not change with texts for readers, nor with the order of routes', () => {
    expect(
      listChanged((text) => text.replaceAll(/"(summary|description)":"(?:[^"\\]|\\.)*"/g, '"$1":"Another text."')),
    ).toEqual([]);
    const { paths } = document as ApiDocument;
    const reversed = { ...document, paths: Object.fromEntries(Object.entries(paths).reverse()) } as ApiDocument;
    expect(renderOperations(reversed)).toBe(renderOperations(document as ApiDocument));
  });
});
