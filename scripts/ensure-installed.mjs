// Installs the locked dependencies where they are missing or older than the lockfile, so that `npm start` and
// `npm test` work on a fresh clone.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

const installed = 'node_modules/.package-lock.json';
const isFresh = existsSync(installed) && statSync(installed).mtimeMs >= statSync('package-lock.json').mtimeMs;

if (!isFresh) {
  console.log('Installing dependencies (a minute or two the first time: SQLite is compiled) ...');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  process.exit(status ?? 1);
}
