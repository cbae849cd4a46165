import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { check } from './run-program.mjs';

/** One file can have this size in the pipe from tar. */
const MAX_BYTES = 512 * 1024 * 1024;

/**
 * Writes the folder as `.tar.gz`. The same files make the same bytes: names are sorted, and owner, times and modes do not
 * depend on the machine. Needs GNU tar.
 */
export function writeArchive(folder, file, time) {
  const fixed = [
    '--sort=name',
    '--format=ustar',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u+rwX,go+rX,go-w',
  ];
  const args = [...fixed, `--mtime=@${time.getTime() / 1000}`, '-C', dirname(folder), '-cf', '-', basename(folder)];
  const { stdout } = check('tar', spawnSync('tar', args, { maxBuffer: MAX_BYTES }));
  writeFileSync(file, gzipSync(stdout, { level: 9 }));
}
