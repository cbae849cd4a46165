// Builds src/dashboard/ and the explanations of the rules to dist/dashboard/, unless sources and packages have not changed.
import { build } from 'vite';
import { buildOnce } from './build-once.mjs';

const RULES = ['docs/rules/guides.yaml', 'src/definitions/report/rule-guide.ts', 'scripts/rule-docs.ts'];

await buildOnce({
  sources: ['src/dashboard', 'src/client', 'src/domain/words', 'src/domain/rules.ts', ...RULES],
  stamp: 'dist/dashboard/.built-from',
  made: [],
  build: () => build({ configFile: 'src/dashboard/vite.config.ts', logLevel: 'warn' }),
});
