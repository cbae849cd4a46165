// Installs the locked dependencies where they are missing or older than the lockfile, so that `npm start` and
// `npm test` work on a fresh clone.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const installed = 'node_modules/.package-lock.json';
const isFresh = existsSync(installed) && statSync(installed).mtimeMs >= statSync('package-lock.json').mtimeMs;

if (!isFresh) {
  console.log('Installing dependencies (a minute or two where SQLite has to be compiled) ...');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    stdio: 'inherit',
    env: { ...findNodeHeaders(), ...process.env },
    shell: process.platform === 'win32',
  });
  process.exit(status ?? 1);
}

/** Where Node's own headers are installed, compiling needs no download of them. */
function findNodeHeaders() {
  const prefix = dirname(dirname(process.execPath));
  return existsSync(join(prefix, 'include/node/node.h')) ? { npm_config_nodedir: prefix } : {};
}
