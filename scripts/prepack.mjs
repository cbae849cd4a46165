// Before `npm pack` and `npm publish`: builds from nothing, so that no file of an earlier build is published.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
// Standard output belongs to npm, which may have been asked for JSON.
const { status } = spawnSync(process.execPath, ['scripts/launch.mjs', 'build'], { stdio: ['ignore', 2, 2] });
process.exitCode = status ?? 1;
