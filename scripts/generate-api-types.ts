// Writes src/api-types/openapi.d.ts from the OpenAPI document.
// Run it after a change of a route or a schema of the management API: npx tsx scripts/generate-api-types.ts
import { writeFileSync } from 'node:fs';
import { renderApiTypes } from './api-types.ts';

writeFileSync(new URL('../src/api-types/openapi.d.ts', import.meta.url), await renderApiTypes());
