import { spawn } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'vitest';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Runs a command of the built program, and kills it before this write to the disk (`kill-at-step.mjs`). Returns whether it
 * ended before that.
 */
export async function runUntilStep(
  step: number,
  command: readonly string[],
  env: Record<string, string> = {},
): Promise<boolean> {
  const args = ['--import', pathToFileURL(at('kill-at-step.mjs')).href, at('../../dist/main.js'), ...command];
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const variables = { PATH, NODE_COMPILE_CACHE, KILL_AT_STEP: String(step), ...env };
  const child = spawn(process.execPath, args, { env: variables, stdio: 'ignore' });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.once('close', (...end) => resolve(end)),
  );
  expect(signal === 'SIGKILL' || code === 0, `step ${step} ended with ${code ?? signal}`).toBe(true);
  return code === 0;
}
