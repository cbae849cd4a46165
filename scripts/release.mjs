// Makes a release: node scripts/release.mjs [--dry-run] [--output DIR] [--platform NAME ...]
// Builds the npm package, a tarball for each platform, the bill of materials, notes and checksums in DIR (release/). Then it
// publishes them, which only the release workflow may do. With --dry-run it publishes nothing and prints the commands.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { IS_PUBLISHED } from '../src/domain/words/publication.ts';
import { readCommit } from './build-identity.ts';
import { assembleTree } from './release/assemble-tree.mjs';
import { findVersionProblems, readNewestNotes } from './release/check-version.ts';
import { findPlatform, PLATFORMS } from './release/platforms.mjs';
import { check, runProgram } from './release/run-program.mjs';
import { writeArchive } from './release/write-archive.mjs';
import { writeSbom } from './release/write-sbom.mjs';
import { runNpm } from './run-npm.mjs';
import { readSourceTime } from './source-time.mjs';
import { isInstalled } from './tasks.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

try {
  const { values } = parseArgs({
    options: {
      'dry-run': { type: 'boolean', default: false },
      output: { type: 'string', default: join(ROOT, 'release') },
      platform: { type: 'string', multiple: true, default: Object.keys(PLATFORMS) },
    },
  });
  release({ isDry: values['dry-run'], output: resolve(values.output), platforms: values.platform });
} catch (error) {
  console.error(`release failed: ${error.message}`);
  process.exitCode = 1;
}

function release({ isDry, output, platforms }) {
  platforms.forEach(findPlatform);
  const time = readSourceTime(ROOT);
  // All files of one release have the same time and modes: the same commit makes the same bytes.
  process.umask(0o022);
  // With another value than production, the dashboard would be a development build, which contains the paths of its sources.
  delete process.env.NODE_ENV;
  process.env.SOURCE_DATE_EPOCH = String(time.getTime() / 1000);
  // The copy in which the package is built has no repository.
  process.env.DOCKBELL_BUILD_COMMIT = readCommit(ROOT) ?? '';
  report(`dockbell ${version}, ${time.toISOString()}${isDry ? ', dry run: nothing is published' : ''}`);
  const notes = checkRelease(isDry);
  mkdirSync(output, { recursive: true });
  if (readdirSync(output).length > 0) throw new Error(`${output} is not empty`);
  const work = join(output, '.work');
  try {
    const clone = copyWorkTree(join(work, 'clone'));
    const packageFile = packPackage(clone, output);
    for (const platform of platforms) packPlatform(packageFile, platform, { work, output, time });
    report('bill of materials');
    writeSbom(clone, join(output, `dockbell-${version}.cdx.json`), time);
    writeFileSync(join(output, 'release-notes.md'), notes);
    writeChecksums(output);
    publish(packageFile, output, isDry);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** What a release requires. A dry run reports what is missing and continues. Returns the notes. */
function checkRelease(isDry) {
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const problems = findVersionProblems(version, changelog);
  if (!IS_PUBLISHED) problems.push('src/domain/words/publication.ts says that no version is published');
  if (run('git', ['status', '--porcelain']).stdout !== '') problems.push('the work tree has changes');
  if (process.env.GITHUB_REF_NAME !== `v${version}`) problems.push(`the workflow does not run for the tag v${version}`);
  if (problems.length > 0 && !isDry) throw new Error(problems.join('; '));
  for (const problem of problems) report(`a release would stop here: ${problem}`);
  return readNewestNotes(changelog).notes;
}

/** The files of the repository with the installed dependencies, so that the build changes nothing in the work tree. */
function copyWorkTree(folder) {
  report('copy of the repository');
  const { stdout } = check(
    'git ls-files',
    run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']),
  );
  for (const file of stdout.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name)))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
  for (const path of ['', 'site']) {
    // Otherwise the build of the copy would install them, and so delete those of the work tree.
    if (!isInstalled(join(ROOT, path)))
      throw new Error(`the dependencies in ${join(ROOT, path)} are not those of its lockfile: run npm run build first`);
    symlinkSync(join(ROOT, path, 'node_modules'), join(folder, path, 'node_modules'));
  }
  return folder;
}

function packPackage(clone, output) {
  report('npm package: npm pack');
  check(
    'npm pack',
    runNpm(['pack', '--pack-destination', output, '--loglevel=error'], { cwd: clone, encoding: 'utf8' }),
  );
  return join(output, `dockbell-${version}.tgz`);
}

function packPlatform(packageFile, platform, { work, output, time }) {
  const name = `dockbell-${version}-${platform}`;
  report(`tarball for ${platform}`);
  const folder = join(work, name);
  assembleTree(packageFile, platform, folder);
  writeArchive(folder, join(output, `${name}.tar.gz`), time);
}

function writeChecksums(output) {
  report('checksums');
  const files = listFiles(output).filter((name) => name !== 'release-notes.md');
  const lines = files.map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(join(output, name)))
        .digest('hex')}  ${name}\n`,
  );
  writeFileSync(join(output, 'SHA256SUMS'), lines.join(''));
}

function publish(packageFile, output, isDry) {
  const assets = listFiles(output)
    .filter((name) => name !== 'release-notes.md')
    .map((name) => join(output, name));
  const notes = ['--title', `Dockbell ${version}`, '--notes-file', join(output, 'release-notes.md')];
  const steps = [
    // npm adds the provenance statement of the workflow.
    ['npm', ['publish', packageFile, '--provenance', '--access', 'public']],
    ['gh', ['release', 'create', `v${version}`, '--verify-tag', ...notes, ...assets]],
  ];
  for (const [program, args] of steps) {
    report(`${isDry ? 'would run' : 'run'}: ${[program, ...args].join(' ')}`);
    if (!isDry)
      check(`${program} ${args[0]}`, program === 'npm' ? runNpm(args, { stdio: 'inherit' }) : run(program, args));
  }
}

function listFiles(folder) {
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ name }) => name).sort();
}

function run(program, args) {
  return runProgram(program, args, ROOT);
}

function report(step) {
  console.log(`- ${step}`);
}
