import { spawnSync } from 'node:child_process';

/** Runs a program in a folder, and returns its exit code and its output as text. */
export function runProgram(file, args, folder, env = process.env) {
  return spawnSync(file, args, { cwd: folder, env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

/** Throws an `Error` with the output of a program that failed. */
export function check(what, result) {
  if (result.status === 0) return result;
  throw new Error(`${what} failed: ${result.error?.message ?? `${result.stdout ?? ''}${result.stderr ?? ''}`}`);
}
