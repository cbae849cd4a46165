// Builds src/dashboard/ to dist/dashboard/, unless it was built from the same sources and packages already. Pages of docs/ come with it.
import { build } from 'vite';
import { buildOnce } from './build-once.mjs';

await buildOnce({
  sources: ['src/dashboard', 'docs', 'scripts/rule-docs.ts', 'src/core/rules.ts'],
  stamp: 'dist/dashboard/.built-from',
  made: [],
  build: () => build({ configFile: 'src/dashboard/vite.config.ts', logLevel: 'warn' }),
});
