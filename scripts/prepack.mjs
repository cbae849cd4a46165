// Runs before `npm pack` and `npm publish`. Deletes dist/ and man/ first, so that no file of an earlier build is published.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';

for (const folder of ['dist', 'man']) rmSync(folder, { recursive: true, force: true });
// The build writes to standard error, because npm may print JSON to standard output.
const { status } = spawnSync(process.execPath, ['scripts/launch.mjs', 'build'], { stdio: ['ignore', 2, 2] });
process.exitCode = status ?? 1;
