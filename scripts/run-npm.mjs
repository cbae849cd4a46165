import { spawn, spawnSync } from 'node:child_process';

/** Runs the npm that started this script, otherwise the one on the PATH, with the running Node.js. */
export function runNpm(args, options) {
  return spawnSync(...describeNpm(args), options);
}

/** Like `runNpm`, but does not wait for the end. */
export function startNpm(args, options) {
  return spawn(...describeNpm(args), options);
}

function describeNpm(args) {
  const own = process.env.npm_execpath;
  if (own !== undefined && /\.c?js$/.test(own)) return [process.execPath, [own, ...args]];
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm', args];
}
