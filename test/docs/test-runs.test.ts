import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { locate } from '../helpers/documents.ts';

const cwd = fileURLToPath(locate('.'));
const list = (pattern: string) => globSync(pattern, { cwd, exclude: (path) => path.includes('node_modules') });

/** Not imported by their names, because a configuration is no part of the tests. */
async function readProjects(file: string) {
  const { default: config } = await import(locate(file).href);
  const { projects, ...test } = config.test as { include: string[]; projects?: { test: { include: string[] } }[] };
  return projects === undefined ? [test] : projects.map((project) => project.test);
}

const listFiles = async (file: string) =>
  (await readProjects(file)).flatMap(({ include }) => include.flatMap(list)).map((path) => path.replaceAll('\\', '/'));

describe('each test file', () => {
  it('is executed by npm test, npm run test:full or npm run test:faults', async () => {
    const configs = ['vitest.config.ts', 'vitest.full.ts', 'vitest.faults.ts'];
    const executed = new Set((await Promise.all(configs.map(listFiles))).flat());
    const files = ['test', 'src']
      .flatMap((folder) => list(`${folder}/**/*.test.ts`))
      .map((path) => path.replaceAll('\\', '/'));
    expect(files.length).toBeGreaterThan(500);
    expect(files.filter((path) => !executed.has(path))).toEqual([]);
  });
});
