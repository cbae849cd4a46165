import { beforeAll, describe, expect, it } from 'vitest';
import { buildApiDocument, renderApiDocument, renderApiTypes, renderFieldNames } from '../../scripts/api-types.ts';
import { readDocument } from '../helpers/documents.ts';

let document: object;

beforeAll(async () => {
  document = await buildApiDocument();
});

describe('files generated from the OpenAPI document; update them with npx tsx scripts/generate-api-types.ts', () => {
  it('schemas/openapi.json contains the document', () => {
    expect(readDocument('schemas/openapi.json') === renderApiDocument(document)).toBe(true);
  });

  it('src/api-types/openapi.d.ts contains its types', async () => {
    expect(readDocument('src/api-types/openapi.d.ts') === (await renderApiTypes(document))).toBe(true);
  });

  it('src/api-types/fields.ts contains the names of its fields', () => {
    expect(readDocument('src/api-types/fields.ts')).toBe(renderFieldNames(document));
  });
});
