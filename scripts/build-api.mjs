// Makes the OpenAPI document and the types of its clients, unless what they follow from has not changed. Type checks, the site and
// the package need them.
import { buildOnce } from './build-once.mjs';

/** The rooms that the management API may import, and it. */
const ROOMS = [
  'api',
  'config',
  'definitions',
  'domain',
  'ingress',
  'operations',
  'outbound',
  'platform',
  'reconcile',
  'runs',
];
const SCRIPTS = ['api-document.ts', 'api-types.ts', 'build-api.mjs'];

await buildOnce({
  sources: [...ROOMS.map((room) => `src/${room}`), ...SCRIPTS.map((name) => `scripts/${name}`), 'package.json'],
  stamp: '.cache/api.built-from',
  made: ['schemas/openapi.json', 'src/client/openapi.d.ts'],
  build: async () => {
    // Imported here, because it loads the whole management API.
    const { GENERATORS, writeFiles } = await import('./generators.ts');
    writeFiles(await GENERATORS['api-document']());
  },
});
