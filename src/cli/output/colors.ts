import pc from 'picocolors';
import type { CliContext, CliOutput } from '../context.ts';

export type Colors = ReturnType<typeof pc.createColors>;

/** Functions that color text for this stream, or return it unchanged. */
export function createColors(stream: CliOutput, env: CliContext['env']): Colors {
  return pc.createColors(hasColors(stream, env));
}

/**
 * Terminals get colors. `NO_COLOR` (no-color.org: set and not empty), which `--no-color` also sets, disables them.
 * `FORCE_COLOR` enables them for pipes, or disables them with the value 0 or false.
 */
export function hasColors(stream: CliOutput, env: CliContext['env']): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = env;
  if (NO_COLOR || FORCE_COLOR === '0' || FORCE_COLOR === 'false') return false;
  return FORCE_COLOR !== undefined || (stream.isTTY === true && TERM !== 'dumb');
}
