// Runs before `npm pack` and `npm publish`. Deletes dist/ first, so that no file of an earlier build is published.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
for (const script of [
  ['scripts/launch.mjs', 'build'],
  ['node_modules/tsx/dist/cli.mjs', 'scripts/build-man-pages.ts'],
]) {
  // The build writes to standard error, because npm may print JSON to standard output.
  const { status } = spawnSync(process.execPath, script, { stdio: ['ignore', 2, 2] });
  process.exitCode = status ?? 1;
  if (status !== 0) break;
}
