import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNpm } from '../run-npm.mjs';
import { check } from './run-program.mjs';

/**
 * Writes the software bill of materials in the CycloneDX format: npm's list, limited to what the package contains. These are the
 * dependencies that npm installs, and the libraries joined into dist/, which are development dependencies for npm.
 *
 * @param clone the work tree in which the package was built
 */
export function writeSbom(clone, file, time) {
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
  const all = JSON.parse(readOutput(clone, args));
  const installed = JSON.parse(readOutput(clone, [...args, '--omit=dev']));
  const contained = new Set([...installed.components.map(nameOf), ...listJoined(clone)]);
  const components = all.components.filter((component) => contained.has(nameOf(component)));
  const missing = [...contained].filter((name) => !components.some((component) => nameOf(component) === name));
  if (missing.length > 0) throw new Error(`these libraries are not in the lockfile: ${missing.join(', ')}`);
  const refs = new Set([all.metadata.component, ...components].map((component) => component['bom-ref']));
  const dependencies = all.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }));
  const metadata = { ...all.metadata, timestamp: time.toISOString() };
  const { serialNumber: _random, ...rest } = all;
  const sbom = { ...rest, metadata, components, dependencies };
  writeFileSync(file, `${JSON.stringify({ ...sbom, serialNumber: nameSbom(sbom) }, null, 2)}\n`);
}

function readOutput(clone, args) {
  return check('npm sbom', runNpm(args, { cwd: clone, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })).stdout;
}

/** The libraries whose licences the build collected. */
function listJoined(clone) {
  const texts = ['dist/licenses.md', 'dist/dashboard/licenses.md'].map((path) =>
    readFileSync(join(clone, path), 'utf8'),
  );
  return texts.flatMap((text) =>
    [...text.matchAll(/^## (\S+) - (\S+) \(.+\)$/gm)].map(([, name, version]) => `${name}@${version}`),
  );
}

function nameOf({ group, name, version }) {
  return `${group === undefined || group === '' || name.startsWith('@') ? name : `${group}/${name}`}@${version}`;
}

/** A UUID that follows from the content, because a random one would make two builds differ. */
function nameSbom(sbom) {
  const hex = createHash('sha256').update(JSON.stringify(sbom)).digest('hex');
  const variant = ((Number.parseInt(hex[16], 16) & 3) | 8).toString(16);
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
