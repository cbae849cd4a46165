import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const reported = new Set<string>();

/** Is the program on the PATH? If not, one line reports that tests are skipped. */
export function hasProgram(name: string): boolean {
  const found = (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
  if (!found && !reported.has(name)) console.warn(`SKIPPED: tests that need ${name}, which is not installed.`);
  reported.add(name);
  return found;
}
