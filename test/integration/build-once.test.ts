import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
// @ts-expect-error: a script without types
import { buildOnce } from '../../scripts/build-once.mjs';
import { createTempDir } from '../helpers/temp-dir.ts';

it('a build is repeated only after a change of its sources, or if a file that it made is missing', async () => {
  const dir = createTempDir('build-once');
  const [source, made] = [join(dir, 'source.txt'), join(dir, 'made.txt')];
  let builds = 0;
  const build = async () => writeFileSync(made, `${readFileSync(source, 'utf8')}, build ${++builds}`);
  const make = async () => {
    await buildOnce({ sources: [source], stamp: join(dir, 'cache/stamp'), made: [made], build });
    return readFileSync(made, 'utf8');
  };
  writeFileSync(source, 'first');
  expect(await make()).toBe('first, build 1');
  expect(await make()).toBe('first, build 1');
  writeFileSync(source, 'second');
  expect(await make()).toBe('second, build 2');
  rmSync(made);
  expect(await make()).toBe('second, build 3');
});
