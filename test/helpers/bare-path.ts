import { existsSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createTempDir } from './temp-dir.ts';

/** A folder with links to the running Node.js and to these programs, to be used as the whole PATH. Missing ones are skipped. */
export function createBarePath(programs: readonly string[]): string {
  const folder = createTempDir('path');
  symlinkSync(process.execPath, join(folder, 'node'));
  const places = ['/bin', '/usr/bin', ...(process.env.PATH ?? '').split(delimiter)];
  for (const program of programs) {
    const place = places.find((candidate) => existsSync(join(candidate, program)));
    if (place !== undefined) symlinkSync(join(place, program), join(folder, program));
  }
  return folder;
}
