import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTempDir } from './temp-dir.ts';
import type { TestDaemonOptions } from './test-daemon.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A text of the built program, which it has exactly once, and what replaces it. */
export interface BuildChange {
  find: RegExp;
  replace: string;
}

/**
 * Copies the built program and changes it: a newer version, or one without a guard.
 *
 * @param version of the copy; that of the built program if omitted
 */
export function changeBuild(
  changes: readonly BuildChange[],
  version?: string,
): NonNullable<TestDaemonOptions['program']> {
  const root = createTempDir('build');
  mkdirSync(join(root, 'dist'));
  for (const name of readdirSync(ROOT)) {
    if (name !== 'dist' && name !== 'package.json') symlinkSync(join(ROOT, name), join(root, name));
  }
  cpSync(join(ROOT, 'dist'), join(root, 'dist'), { recursive: true });
  const description = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  writeFileSync(
    join(root, 'package.json'),
    JSON.stringify({ ...description, version: version ?? description.version }),
  );
  for (const change of changes) applyChange(join(root, 'dist'), change);
  return { node: process.execPath, main: join(root, 'dist/main.js') };
}

function applyChange(dist: string, { find, replace }: BuildChange): void {
  const everywhere = new RegExp(find, `${find.flags.replace('g', '')}g`);
  const found = listPrograms(dist).flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return [...text.matchAll(everywhere)].map(() => ({ file, text }));
  });
  if (found.length !== 1) throw new Error(`The built program has ${find} ${found.length} times, and not once.`);
  const [{ file, text }] = found as [{ file: string; text: string }];
  writeFileSync(file, text.replace(find, replace));
}

/** All programs of the daemon. The dashboard and the documentation have others. */
function listPrograms(dist: string): string[] {
  return readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js') && !/^(dashboard|docs)\//.test(name))
    .map((name) => join(dist, name));
}
