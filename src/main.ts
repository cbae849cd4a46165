#!/usr/bin/env node
import { readFileSync } from 'node:fs';

// Everything else is imported after this check: native modules end an older Node.js with a segmentation fault.
const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
if (isOlder(process.versions.node, engines.node)) {
  const oldest = engines.node.replace('>=', '');
  process.stderr.write(`dockbell needs Node.js ${oldest} or newer. This is Node.js ${process.versions.node}.\n`);
  process.exitCode = 2;
} else {
  const { createProcessContext } = await import('./cli/context.ts');
  const { runProgram } = await import('./cli/run-program.ts');
  // By default SIGUSR1 opens the inspector of Node.js, and with it the secrets in memory, to every user of this machine.
  process.on('SIGUSR1', () => {});

  process.exitCode = await runProgram(process.argv.slice(2), createProcessContext(process));
}

/** Compares major and minor with a range such as `>=22.22`. */
function isOlder(version: string, range: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = (range.match(/\d+/g) ?? []).map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}
