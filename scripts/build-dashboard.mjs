// Builds src/dashboard/ and its pages of docs/ to dist/dashboard/, unless sources and packages have not changed.
import { build } from 'vite';
import { buildOnce } from './build-once.mjs';

await buildOnce({
  sources: ['src/dashboard', 'src/client', 'src/domain/words', 'docs', 'scripts/rule-docs.ts', 'src/domain/rules.ts'],
  stamp: 'dist/dashboard/.built-from',
  made: [],
  build: () => build({ configFile: 'src/dashboard/vite.config.ts', logLevel: 'warn' }),
});
