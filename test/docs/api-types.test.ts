import { describe, expect, it } from 'vitest';
import { renderApiTypes } from '../../scripts/api-types.ts';
import { readDocument } from '../helpers/documents.ts';

describe('src/api-types/openapi.d.ts', () => {
  it('is made from the OpenAPI document; renew it with npx tsx scripts/generate-api-types.ts', async () => {
    expect(readDocument('src/api-types/openapi.d.ts') === (await renderApiTypes())).toBe(true);
  });
});
