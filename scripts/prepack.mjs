// Before `npm pack` and `npm publish`: builds from nothing, and pins the dependencies of users to the versions that were
// tested. npm installs a package by the npm-shrinkwrap.json inside it; package-lock.json never becomes part of one.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
const { status } = spawnSync(process.execPath, ['scripts/launch.mjs', 'build'], { stdio: ['ignore', 2, 2] });
if (status !== 0) process.exit(status ?? 1);

const lockfile = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const { '': root, ...installed } = lockfile.packages;
const { devDependencies: _, ...published } = root;
const packages = Object.entries(installed).filter(([, entry]) => !entry.dev && !entry.devOptional);
writeFileSync(
  'npm-shrinkwrap.json',
  `${JSON.stringify({ ...lockfile, packages: { '': published, ...Object.fromEntries(packages) } }, null, 2)}\n`,
);
