// Writes schemas/openapi.json, the OpenAPI document of the management API, and src/client/openapi.d.ts and fields.ts from it.
// Run it after a change of a route, a schema or an example, and of the version: npx tsx scripts/generate-api-types.ts
import { writeFileSync } from 'node:fs';
import { buildApiDocument, renderApiDocument, renderApiTypes, renderFieldNames } from './api-types.ts';

const document = await buildApiDocument();
writeFileSync(new URL('../schemas/openapi.json', import.meta.url), renderApiDocument(document));
writeFileSync(new URL('../src/client/openapi.d.ts', import.meta.url), await renderApiTypes(document));
writeFileSync(new URL('../src/client/fields.ts', import.meta.url), renderFieldNames(document));
