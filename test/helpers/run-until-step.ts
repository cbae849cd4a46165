import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'vitest';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Runs a command of the built program as `runNodeUntilStep` does. */
export function runUntilStep(
  step: number,
  command: readonly string[],
  env: Record<string, string> = {},
): Promise<boolean> {
  return runNodeUntilStep(step, [at('../../dist/main.js'), ...command], env);
}

/**
 * Runs Node.js with these arguments, and kills it before this write to the disk (`kill-at-step.mjs`). Returns whether it
 * ended before that.
 */
export async function runNodeUntilStep(
  step: number,
  program: readonly string[],
  env: Record<string, string> = {},
): Promise<boolean> {
  const child = startNodeUntilStep(step, program, env);
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.once('close', (...end) => resolve(end)),
  );
  expect(signal === 'SIGKILL' || code === 0, `step ${step} ended with ${code ?? signal}`).toBe(true);
  return code === 0;
}

/** Starts Node.js with these arguments. It gets `STEP_SIGNAL` of these variables, or SIGKILL, before this write to the disk. */
export function startNodeUntilStep(
  step: number,
  program: readonly string[],
  env: Record<string, string>,
): ChildProcess {
  const args = ['--import', pathToFileURL(at('kill-at-step.mjs')).href, ...program];
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const variables = { PATH, NODE_COMPILE_CACHE, KILL_AT_STEP: String(step), ...env };
  return spawn(process.execPath, args, { env: variables, stdio: 'ignore' });
}
