/** Range of an exit code that a worker or a receiver reports: those of Linux, and of Windows with or without a sign. */
export const EXIT_CODE_RANGE = { minimum: -2_147_483_648, maximum: 4_294_967_295 } as const;

const MAX_SHOWN_CHARACTERS = 60;

/** Why a reported exit code is unknown; `null` if it is an exit code, or if none is reported. */
export function explainUnknownExitCode(value: unknown): string | null {
  if (value === undefined || value === null || readExitCode(value) !== null) return null;
  const given = typeof value === 'number' ? String(value) : JSON.stringify(value);
  const shown = given.length > MAX_SHOWN_CHARACTERS ? `${given.slice(0, MAX_SHOWN_CHARACTERS)}…` : given;
  const { minimum, maximum } = EXIT_CODE_RANGE;
  return `the exit code is unknown: exit_code ${shown} is not an integer from ${minimum} to ${maximum}`;
}

/** The exit code in a value from outside; `null` if it is none. */
export function readExitCode(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isInteger(value)) return null;
  return value >= EXIT_CODE_RANGE.minimum && value <= EXIT_CODE_RANGE.maximum ? value : null;
}
