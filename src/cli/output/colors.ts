import pc from 'picocolors';
import type { CliContext, CliOutput } from '../context.ts';

export type Colors = ReturnType<typeof pc.createColors>;

/** Functions that paint text for this stream, or return it as it is. */
export function createColors(stream: CliOutput, env: CliContext['env']): Colors {
  return pc.createColors(hasColors(stream, env));
}

/**
 * Colours are for terminals. `NO_COLOR` (no-color.org: set and not empty), which `--no-color` sets too, turns them off;
 * `FORCE_COLOR` turns them on for pipes, and off with the value 0 or false.
 */
export function hasColors(stream: CliOutput, env: CliContext['env']): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = env;
  if (NO_COLOR || FORCE_COLOR === '0' || FORCE_COLOR === 'false') return false;
  return FORCE_COLOR !== undefined || (stream.isTTY === true && TERM !== 'dumb');
}
