/** Range of an exit code that a worker or a receiver reports: those of Linux, and of Windows with or without a sign. */
export const EXIT_CODE_RANGE = { minimum: -2_147_483_648, maximum: 4_294_967_295 } as const;

/** The exit code in a value from outside; `null` for everything that is no exit code. */
export function readExitCode(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isInteger(value)) return null;
  return value >= EXIT_CODE_RANGE.minimum && value <= EXIT_CODE_RANGE.maximum ? value : null;
}
