// `npm pack` and `npm publish` run `node scripts/pack.mjs before`, and `after` at their end. Before: dist/ and man/ are deleted,
// so that no file of an earlier build is published, and built. package.json gets the list of manual pages, because npm does
// not read `directories.man` of a package that it installs. After: package.json is again the file of the repository.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

if (process.argv[2] === 'before') process.exitCode = buildPackage();
else writeManList(undefined);

function buildPackage() {
  for (const folder of ['dist', 'man']) rmSync(folder, { recursive: true, force: true });
  // The build writes to standard error, because npm may print JSON to standard output.
  const { status } = spawnSync(process.execPath, ['scripts/launch.mjs', 'build'], { stdio: ['ignore', 2, 2] });
  if (status === 0) writeManList(readdirSync('man').filter((name) => name.endsWith('.1')));
  return status ?? 1;
}

/** Lists files of man/ in package.json. `undefined` removes the list. */
function writeManList(names) {
  const description = JSON.parse(readFileSync('package.json', 'utf8'));
  description.man = names?.sort().map((name) => `man/${name}`);
  writeFileSync('package.json', `${JSON.stringify(description, null, 2)}\n`);
}
