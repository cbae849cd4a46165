import { expect, it } from 'vitest';
import { buildApiDocument } from '../../scripts/api-types.ts';
import type { JsonSchema } from '../../src/domain/json.ts';
import { EXECUTION_OVERRIDES } from '../../src/domain/resources/automation.ts';
import { DELIVERY_LABELS } from '../../src/domain/resources/delivery.ts';

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

it('the OpenAPI document has names in snake_case only', async () => {
  const names = [...listProperties(await buildApiDocument())].filter(([name]) => !NOT_OURS.has(name));
  expect(names.length).toBeGreaterThan(1000);
  expect(names.filter(([name]) => !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name))).toEqual([]);
});
