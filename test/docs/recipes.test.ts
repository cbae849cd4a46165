import { spawnSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { copyWithPackages } from '../helpers/copy-work-tree.ts';
import { locate } from '../helpers/documents.ts';
import { applyRecipe, readRecipe } from '../helpers/recipe.ts';

/** What an earlier check of types knows, so that only what depends on the changed files is checked again. */
const KNOWN_TYPES = '.cache/types/tsconfig.json.tsbuildinfo';

const FIELD = readRecipe('A field of a resource');
const TRIGGER = readRecipe('A provider trigger');

describe('the recipes of CONTRIBUTING.md', { tags: 'full' }, () => {
  let folder: string;

  /** Runs a program in the copy. */
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    expect(status, `${args.join(' ')}\n${stdout}${stderr}`).toBe(0);
  };
  const runTests = (...files: string[]) => run('node_modules/vitest/vitest.mjs', 'run', ...files);

  // One copy for all recipes: generators and types are what takes time.
  beforeAll(async () => {
    folder = await copyWithPackages();
    for (const recipe of [FIELD, TRIGGER]) applyRecipe(folder, recipe);
    const known = locate(KNOWN_TYPES).pathname;
    if (existsSync(known)) cpSync(known, join(folder, KNOWN_TYPES));
    run('node_modules/tsx/dist/cli.mjs', 'scripts/generate.ts');
  });

  it('name these files', () => {
    expect(FIELD.map(({ file }) => file)).toEqual([
      'src/domain/resources/webhook.ts',
      'src/storage/sqlite/migrations.ts',
      'src/storage/postgres/migrations.ts',
      'src/api/openapi/examples.ts',
      'test/docs/option-values.test.ts',
    ]);
    expect(TRIGGER.map(({ file }) => file)).toEqual([
      'src/domain/words/names.ts',
      'src/definitions/triggers/providers/pagerduty.ts',
      'src/definitions/triggers/providers.ts',
      'scripts/provider-trigger-schema.ts',
    ]);
  });

  it('result in code that compiles', () => {
    run(
      'node_modules/typescript7/bin/tsc',
      '-p',
      '.',
      '--singleThreaded',
      '--incremental',
      '--tsBuildInfoFile',
      KNOWN_TYPES,
    );
  });

  it('add a field that both databases store', () => {
    runTests('test/contract/storage.inventory.test.ts', 'test/contract/storage.schema.test.ts');
  });

  it('add a field that the API and the commands document', () => {
    runTests('src/api/openapi/openapi.test.ts', 'test/docs/option-values.test.ts', 'test/docs/generated-files.test.ts');
  });

  it('add a provider that fits the other tables', () => {
    runTests('src/definitions/triggers', 'src/definitions/check/check-provider-triggers.test.ts');
  });
});
