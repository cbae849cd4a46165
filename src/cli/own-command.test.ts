import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTempDir } from '../../test/helpers/temp-dir.ts';
import { describeOwnCommand } from './own-command.ts';

const folder = createTempDir('own');
const bin = join(folder, 'bin');
mkdirSync(bin);
for (const name of ['node', 'dockbell']) writeFileSync(join(bin, name), '');

const describe = (argv: [string, string], cwd: string, PATH = '/nowhere') =>
  describeOwnCommand({ execPath: argv[0], argv }, { cwd, env: { PATH } });

it('is Node.js and the script, with paths that a shell in the folder finds', () => {
  const argv: [string, string] = [join(folder, '.cache/node'), join(folder, 'dist/main.js')];
  expect(describe(argv, folder)).toBe('./.cache/node ./dist/main.js');
  expect(describe(argv, bin)).toBe(argv.join(' '));
});

const other = join(folder, 'other');
mkdirSync(other);
writeFileSync(join(other, 'node'), '');

it('names Node.js without its path if the shell finds the same one', () => {
  const argv: [string, string] = [join(bin, 'node'), join(folder, 'dist/main.js')];
  expect(describe(argv, folder, `/nowhere:${bin}`)).toBe('node ./dist/main.js');
  expect(describe(argv, folder, `${other}:${bin}`)).toBe('./bin/node ./dist/main.js');
});

it('is the installed program alone if it was started, by its name only if the shell finds the same one', () => {
  const argv: [string, string] = ['/usr/bin/node', join(bin, 'dockbell')];
  expect(describe(argv, '/srv', bin)).toBe('dockbell');
  expect(describe(argv, '/srv')).toBe(join(bin, 'dockbell'));
  expect(describe(argv, folder)).toBe('./bin/dockbell');
});

it('quotes a path for the shell', () => {
  expect(describe(['/usr/bin/node', '/srv/my clone/dist/main.js'], '/home')).toBe(
    "/usr/bin/node '/srv/my clone/dist/main.js'",
  );
});
